import type { Parlor } from './contract/page.ts';
import { start } from './loader/start.ts';

export type { Parlor, ParlorEvents, Visitor } from './contract/page.ts';

export interface MountOptions {
  /** The widget token, as in the script tag's `data-token`. */
  token: string;
  /** The address of the Parlor server, such as `https://chat.example.com/`. */
  server: string;
  /** A BCP 47 language tag; without it the page's `lang`, else the browser's language. */
  locale?: string;
  /** `light` or `dark`; without it as the page is. */
  scheme?: 'light' | 'dark';
}

/**
 * Puts the widget on the page, as the script tag does, for pages that are built by a bundler. A page has one
 * widget: a second call gives the first one. The chat itself becomes a chunk of its own. Does not throw: without a
 * server's address there is one warning, and nothing is drawn.
 */
export function mount({ token, server, locale, scheme }: MountOptions): Parlor {
  return start({
    token,
    locale,
    scheme,
    get server() {
      if (!URL.canParse(server)) throw 'mount needs a server, such as https://chat.example.com/';
      return new URL('.', `${server.replace(/\/+$/, '')}/`).href;
    },
    load: () => import('./shell/index.tsx'),
  });
}
