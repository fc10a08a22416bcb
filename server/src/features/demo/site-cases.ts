import { fileURLToPath } from 'node:url';

/** A small customer's website: its pages, style sheets and pictures. */
export const SITE = fileURLToPath(new URL('../../../../demo/site', import.meta.url));

/** Where a page leads to the demo's settings panel. */
export const PANEL_MARK = '<!-- settings panel -->';

/** What Parlor promises to run under, given where it is served (docs/contract.md#widget). */
export const promisedPolicy = (server: string, sockets: string): string =>
  [
    "default-src 'none'",
    `script-src ${server}`,
    `connect-src ${server} ${sockets}`,
    `img-src ${server} data:`,
  ].join('; ');

/** What becomes of a page's HTML, and whether the page has style sheets at all. */
interface SiteCase {
  page(html: string): string;
  isStyled: boolean;
}

/**
 * The site as other customers' sites may be, each under a path of its own so that its links stay in it:
 * with a style sheet that attacks everything, and with nothing allowed but what the widget asks for.
 */
const CASES = {
  '': { page: (html) => html, isStyled: true },
  'hostile/': {
    page: (html) => html.replace('</head>', '<link rel="stylesheet" href="hostile.css"></head>'),
    isStyled: true,
  },
  'strict/': { page: (html) => html.replace(/<link rel="stylesheet"[^>]*>/g, ''), isStyled: false },
} as const satisfies Record<string, SiteCase>;

/** What a path below the site's own asks for: a file, in one of the cases. */
export const siteFileOf = (rest: string): { site: SiteCase; path: string } => {
  const [, folder = '', asked = ''] = /^((?:hostile|strict)\/)?(.*)$/.exec(rest) ?? [];
  const path = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked;
  return { site: CASES[folder as keyof typeof CASES], path };
};
