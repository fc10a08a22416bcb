import { MemoryStorage } from './memory-storage.ts';
import type { Shown, Told } from './messages.ts';
import { pretendAnswer } from './pretend-server.ts';
import { PretendSocket } from './pretend-socket.ts';

/**
 * The page in the studio's preview: it runs the real loader and chat, by the same tag as any site, with settings that
 * nobody has saved. What they would ask of the server is answered here.
 */

interface Loader {
  q: { push(call: readonly unknown[]): void };
  destroy?(): void;
}

declare const window: typeof globalThis.window & { Parlor?: Loader };

/** The time-out after which the widget is shown as far as it has come (milliseconds). */
const PATIENCE_MS = 1_500;

const tell = (told: Told): void => parent.postMessage(told, location.origin);

let shown: Shown | undefined;
let wanted: Shown | undefined;

/** What of the browser is another one here, before the widget's script runs. */
const surround = (): void => {
  const realFetch = window.fetch.bind(window);
  window.fetch = (input, options) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    if (!shown || !url.pathname.startsWith('/api/')) return realFetch(input, options);
    return pretendAnswer(shown, url, options?.method ?? 'GET', options?.body);
  };
  const storages = { localStorage: new MemoryStorage(), sessionStorage: new MemoryStorage() };
  for (const [name, value] of Object.entries(storages)) Object.defineProperty(window, name, { value });
  Object.defineProperty(window, 'WebSocket', { value: PretendSocket });
  // Whoever changes settings beside the preview goes on writing there.
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function (options) {
    if (document.hasFocus()) focus.call(this, options);
  };
  for (const how of ['show', 'showModal'] as const) {
    const real = HTMLDialogElement.prototype[how];
    HTMLDialogElement.prototype[how] = function () {
      if (document.hasFocus()) real.call(this);
      else this.open = true;
    };
  }
};

const count = (reports: number): void => tell({ type: 'reports', count: reports });

const countReports = (): void => {
  let reports = 0;
  count(reports);
  document.addEventListener('securitypolicyviolation', () => count(++reports));
};

/** Somebody has opened or closed the window, unless that was asked for. */
const noteOpen = (isOpen: boolean): void => {
  if (!shown || shown.isOpen === isOpen) return;
  shown = { ...shown, isOpen };
  wanted = shown;
  tell({ type: 'open', isOpen });
};

/** Starts the widget anew, and waits until it stands there, open where it is to be open. */
const start = ({ isOpen }: Shown): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, PATIENCE_MS);
    const finish = () => {
      clearTimeout(timer);
      done();
    };
    window.Parlor?.destroy?.();
    // A new session: a new teaser is seen.
    sessionStorage.removeItem('parlor.preview.teased');
    if (!isOpen) sessionStorage.removeItem('parlor.preview.open');
    const tag = document.createElement('script');
    tag.src = '/widget.js';
    tag.dataset.token = 'preview';
    window.Parlor = { q: [] };
    const call = (...all: readonly unknown[]) => window.Parlor?.q.push(all);
    call('on', 'error', (why: string) => {
      tell({ type: 'failed', why });
      finish();
    });
    call('on', 'open', () => {
      noteOpen(true);
      // Drawn, and at rest.
      setTimeout(finish, 30);
    });
    call('on', 'close', () => noteOpen(false));
    if (isOpen) call('open');
    else call('on', 'ready', () => setTimeout(finish, 30));
    document.head.append(tag);
  });

/** What has just begun to move stands where it is to stand. */
const settle = (): void => {
  const root = document.querySelector('parlor-widget')?.shadowRoot;
  for (const animation of root?.getAnimations() ?? []) {
    if (animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY) animation.finish();
  }
};

const isSame = (a: Shown, b: Shown): boolean => JSON.stringify(a) === JSON.stringify(b);

const apply = async (): Promise<void> => {
  if (!wanted || (shown && isSame(wanted, shown))) return;
  const before = shown;
  const next = wanted;
  shown = next;
  const { documentElement: root } = document;
  const change = async () => {
    root.lang = next.locale;
    root.dir = next.isRightToLeft ? 'rtl' : 'ltr';
    root.style.colorScheme = next.scheme;
    const { isOpen } = next;
    if (before && isSame({ ...before, isOpen }, next)) window.Parlor?.q.push([isOpen ? 'open' : 'close']);
    else await start(next);
    settle();
  };
  // The browser shows the page as it was until the new one stands: nothing flickers while somebody types.
  const { startViewTransition } = document as { startViewTransition?: Document['startViewTransition'] };
  if (!startViewTransition || !before) await change();
  else {
    const transition = document.startViewTransition(change);
    await transition.updateCallbackDone;
    transition.ready.catch(() => undefined);
    transition.skipTransition();
  }
  tell({ type: 'shown' });
  return apply();
};

let isApplying = false;

addEventListener('message', async ({ source, origin, data }: MessageEvent<Shown>) => {
  if (source !== parent || origin !== location.origin || data.type !== 'show') return;
  wanted = data;
  if (isApplying) return;
  isApplying = true;
  await apply().finally(() => {
    isApplying = false;
  });
});

if (parent !== window) {
  surround();
  countReports();
  tell({ type: 'ready' });
}
