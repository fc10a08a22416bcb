import { READ_METHODS, takesMethod } from '../../http/allowed-methods.ts';
import type { Handler } from '../../http/context.ts';
import { sendPlainPage } from '../../http/plain-page.ts';

/** As the console: one accent, lines before shadows. */
const STYLE =
  'body{color:#1c1b19;background:#f7f7f5;margin-top:12vh}h1{font-size:1.75rem;margin:0}p{margin:.25rem 0;color:#63615b}' +
  'ul{list-style:none;margin:2rem 0;padding:0;border:1px solid #e5e3de;border-radius:12px;background:#fff}' +
  'li+li{border-top:1px solid #e5e3de}' +
  'a{display:block;padding:1rem 1.25rem;color:inherit;text-decoration:none;border-radius:12px}' +
  'a:hover b,a:focus-visible b{text-decoration:underline}a:focus-visible{outline:2px solid #2257d6}b{color:#2257d6}' +
  '@media(prefers-color-scheme:dark){body{color:#ecebe7;background:#141413}p{color:#a3a19a}' +
  'ul{background:#1b1b1a;border-color:#2e2d2b}li+li{border-color:#2e2d2b}b{color:#86a8ff}a:focus-visible{outline-color:#86a8ff}}';

const CONSOLE = ['/console/', 'Console', 'Answer visitors, read leads, and see to the team.'] as const;
const DEMO = [
  '/demo/',
  'Demo shop',
  'A customer’s website with the chat on it, to try it as a visitor.',
] as const;
const API = ['/api/v1/docs', 'API documentation', 'Every operation and webhook, for programs.'] as const;

/** GET /: what runs here, and where it leads. @param hasDemo whether there is a demo shop (server/src/features/demo) */
export const startPage = (hasDemo: boolean): Handler => {
  const links = [CONSOLE, ...(hasDemo ? [DEMO] : []), API];
  const items = links.map(
    ([href, name, hint]) => `<li><a href="${href}"><b>${name}</b><p>${hint}</p></a></li>`,
  );
  const content = `<p>Chat and lead capture for websites runs here.</p>\n<ul>\n${items.join('\n')}\n</ul>`;
  return (ctx, next) => {
    if (ctx.path !== '/') return next();
    if (takesMethod(ctx, READ_METHODS)) sendPlainPage(ctx, 200, { title: 'Parlor', content, style: STYLE });
    return undefined;
  };
};
