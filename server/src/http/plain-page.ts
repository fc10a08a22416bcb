import { createHash } from 'node:crypto';
import type { Context } from './context.ts';

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}' +
  'button,input{font:inherit;padding:.6rem 1.2rem}';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policyOf = (style: string, script: string | undefined): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

interface PlainPage {
  title: string;
  /** HTML. */
  content: string;
  /** HTML of its head. */
  head?: string;
  /** CSS, beside what all of them have. */
  style?: string;
  /** Its only script, which may ask this server. */
  script?: string;
}

/** Text in HTML, between tags and in quotes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Answers a small page that loads nothing, is kept by nobody and tells no other site where it was. */
export const sendPlainPage = (ctx: Context, status: number, page: PlainPage): void => {
  const { title, content, head = '', style = '', script } = page;
  ctx.set('Content-Security-Policy', policyOf(STYLE + style, script));
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${head}<title>${title}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
};
