import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Router from '@koa/router';
import { z } from 'zod';
import type { Context, Handler, State } from '../http/context.ts';
import { prepare } from '../http/held-bodies.ts';
import type { Route } from '../http/route.ts';
import { type Representation, representationOf, sendRepresentation } from '../http/single-object.ts';
import type { Config } from '../platform/config.ts';
import { openApiDocument } from './document.ts';

/** The docs' own files, from this server alone; a day in caches, since their addresses do not change with them. */
const FILE_CACHE = 'public, max-age=86400';

/**
 * Scalar makes its styles at run time, and shows pictures and fonts of its own from data URLs; nothing is loaded
 * from, or sent to, another server.
 */
const DOCS_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parlor API</title>
<link rel="icon" href="/api/v1/docs/icon.svg">
</head>
<body>
<div id="docs"></div>
<script src="/api/v1/docs/scalar.js"></script>
<script src="/api/v1/docs/start.js"></script>
</body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#2563eb"/>
<path d="M18 12a6 6 0 0 1-8.8 5.3l-3.2.7.7-3.2A6 6 0 1 1 18 12Z" fill="none" stroke="#fff" stroke-width="1.6"/></svg>
`;

const START = `Scalar.createApiReference('#docs', {
  url: '/api/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
});
`;

/** One copy of its bytes for all responses. */
const preparedOf = (document: object): Representation => {
  const { body, etag } = representationOf(document);
  return { body: prepare(Buffer.from(body)), etag };
};

/** GET /api/v1/openapi.json: what is said of these routes, and of itself; made when somebody first asks for it. */
export const openApiRoute = (routes: () => readonly Route[], config: Config): Route => {
  let document: Representation | undefined;
  return {
    method: 'GET',
    path: '/api/v1/openapi.json',
    id: 'openapi',
    tag: 'Operation',
    summary: 'This document',
    description: 'OpenAPI 3.1, made from the schemas that check requests.',
    callers: ['public'],
    condition: 'read',
    answers: {
      status: 200,
      description: 'OpenAPI 3.1.',
      schema: z.looseObject({ openapi: z.string().meta({ example: '3.1.1' }) }),
      headers: ['ETag'],
    },
    handler: (ctx) => {
      document ??= preparedOf(openApiDocument(routes(), config));
      sendRepresentation(ctx, document);
    },
  };
};

/** GET /api/v1/docs, to read the document and try requests (docs/contract.md#operation). */
export const docsRoutes = (router: Router<State>): void => {
  let script: Buffer | undefined;

  const asset =
    (type: string, cache: string, content: () => string | Buffer): Handler =>
    (ctx: Context) => {
      ctx.set('Cache-Control', cache);
      ctx.type = type;
      ctx.body = content();
    };

  router.get('/api/v1/docs', (ctx) => {
    ctx.set('Content-Security-Policy', DOCS_CSP);
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'html';
    ctx.body = PAGE;
  });

  router.get(
    '/api/v1/docs/start.js',
    asset('text/javascript', 'no-cache', () => START),
  );
  router.get(
    '/api/v1/docs/icon.svg',
    asset('image/svg+xml', FILE_CACHE, () => ICON),
  );
  // Three megabytes, read when somebody first opens the docs.
  router.get(
    '/api/v1/docs/scalar.js',
    asset('text/javascript', FILE_CACHE, () => {
      script ??= prepare(readFileSync(scalarFile()));
      return script;
    }),
  );
};

const scalarFile = (): string =>
  createRequire(import.meta.url).resolve('@scalar/api-reference/browser/standalone.js');
