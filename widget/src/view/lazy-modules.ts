import { type Signal, signal } from '@preact/signals';
import type { Texts } from '../locale/en.ts';

/** The files that come only when they are needed. Each one's style sheet and English texts come with it. */
export const LOAD = {
  talk: () => import('../messages/index.tsx'),
  form: () => import('../form/form.tsx'),
  menu: () => import('../menu/menu.tsx'),
  extras: () => import('../shell/extras.ts'),
};

type Part = keyof typeof LOAD;
type Module<P extends Part> = Awaited<ReturnType<(typeof LOAD)[P]>>;

export type Parts = { readonly [P in Part]: Signal<Module<P> | undefined> } & {
  /** Fetches a part, once; undefined where it does not load. */
  need<P extends Part>(part: P): Promise<Module<P> | undefined>;
};

/** The parts as signals: undefined until `need` has fetched them. One that did not load is fetched again at
 *  the next `need`. */
export function createParts(root: ShadowRoot, speak: (english: Partial<Texts>) => void): Parts {
  const loads: Partial<Record<Part, Promise<unknown>>> = {};
  const parts: Record<string, unknown> = {
    need(part: Part) {
      loads[part] ??= LOAD[part]().then(
        (module) => {
          if ('css' in module) adopt(root, module.css);
          if ('texts' in module) speak(module.texts);
          (parts[part] as Signal).value = module;
          return module;
        },
        () => {
          delete loads[part];
        },
      );
      return loads[part];
    },
  };
  for (const part in LOAD) parts[part] = signal();
  return parts as unknown as Parts;
}

/** Adds a style sheet to the widget; constructed, so that no policy needs an exception for it. */
export function adopt(root: ShadowRoot, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets.push(sheet);
}
