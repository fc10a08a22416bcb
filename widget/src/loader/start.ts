import type { Chat, Host, Start } from '../contract/host.ts';
import type { Parlor } from '../contract/page.ts';
import { warn } from '../platform/warn.ts';
import { palette } from './color.ts';
import { drawLauncher, make } from './launcher.ts';

declare const window: typeof globalThis.window & { Parlor?: Parlor };

type Call = readonly [name: string, argument?: unknown];
type Listening = readonly [event: unknown, listener: (detail: unknown) => void];

/** A page that takes the widget away each time it comes must not be busy with that alone. */
const soon = (task: () => void) => setTimeout(task, 99);

/** Whatever a page's function does: the page does not see it fail, and the chat goes on. */
const guard = (what: unknown, run: () => void) => {
  try {
    run();
  } catch (why) {
    warn(what, why);
  }
};

/**
 * Draws the launcher and puts `window.Parlor` in its place. Everything else is the chat's, which is fetched
 * when a visitor points at the button, opens it, comes back to a running conversation, or when
 * `popup_timeout` runs out. A page has one widget: a second start gives the first one.
 */
export function start(options: Start): Parlor {
  if (window.Parlor?.open) {
    warn('needs one data-token');
    return window.Parlor;
  }

  const listeners = new Set<Listening>();
  const host = make('parlor-widget');
  host.popover = 'manual';
  const launcher = make('button') as HTMLButtonElement;
  const loaded = Promise.withResolvers<Chat>();
  let loading: Promise<void> | false | undefined;
  let gone: true | undefined;
  let timer: number | undefined;

  const tell = (listening: Listening, detail?: unknown) => {
    guard('listener:', () => gone || (listeners.has(listening) && listening[1](detail)));
  };
  const emit = (event: unknown, detail?: unknown) => {
    for (const listening of [...listeners]) if (listening[0] === event) tell(listening, detail);
  };

  const failed = (why: unknown) => {
    if (gone) return;
    warn(why);
    emit('error', `${why}`);
  };

  const fetchChat = () => {
    if (loading) return;
    loading = drawn
      // Where the widget has gone meanwhile, the chat goes as soon as it is there.
      .then(async (host) => loaded.resolve((await options.load()).createChat(host)))
      .catch((why) => {
        loading = false;
        failed(why);
      });
  };

  /** Gives a call to the chat as soon as there is one. */
  const passing =
    (name: string) =>
    (argument?: unknown): void => {
      // To close it, or to say who the visitor is, can wait until somebody wants the chat.
      if (!/close|set/.test(name)) fetchChat();
      loaded.promise.then((chat) => gone || chat[name as 'send'](argument as string)).catch(failed);
    };

  // Beside the body, not in it: a single-page application that swaps the body leaves it where it is. In the
  // top layer no transform, filter or stacking of the page reaches it; but over a modal dialog of the page, wherever
  // that one lies, it would look alive and is inert: what is inert is not found where it is drawn.
  const attach = (): unknown => {
    if (gone) return;
    // A page that writes itself anew (`document.open`) has taken every listener with it, and is empty at first.
    if (!launcher.onclick) {
      if (!document.documentElement) return soon(attach);
      parlor.destroy();
      return start(options);
    }
    if (!host.isConnected) document.documentElement.append(host);
    host.togglePopover(true);
    const { x, y } = launcher.getBoundingClientRect();
    if (!host.togglePopover((host.hidden as boolean) || document.elementFromPoint(x + 9, y + 9) === host))
      soon(attach);
  };

  /** At once, and once more when its turn comes among the calls that wait for the chat. */
  const setHidden = (hidden: boolean) => {
    host.hidden = hidden;
    loaded.promise.then(() => {
      host.hidden = hidden;
    });
  };

  const parlor = {
    show: () => setHidden(false),
    hide() {
      parlor.close();
      setHidden(true);
    },
    destroy() {
      loaded.promise.then((chat) => chat.destroy());
      gone = true;
      clearTimeout(timer);
      host.remove();
      delete window.Parlor;
    },
    on(...listening: Listening) {
      if ((listening[1] as Listening[1] | undefined)?.call) listeners.add(listening);
      else warn('on needs a function');
      // Who comes late hears it too.
      drawn.then(() => listening[0] === 'ready' && tell(listening));
      return () => listeners.delete(listening);
    },
    q: {
      push: (call: Call) =>
        guard(call, () => (parlor[call[0]] as (...rest: unknown[]) => void)(...call.slice(1))),
    },
  } as unknown as Parlor & Record<string, unknown>;
  for (const name of 'open close toggle send setVisitor setLocale'.split(' ')) parlor[name] = passing(name);

  const begin = async (): Promise<Host> => {
    const answer = await fetch(
      `${options.server}api/v1/widgets/?token=${options.token}&locale=${[options.locale, document.documentElement.lang, ...navigator.languages]}`,
    );
    const widget = await answer.json();
    if (!answer.ok) throw await (await options.load()).explain(answer, options);

    const root = host.attachShadow({ mode: 'open' });
    const frame = drawLauncher(root, launcher, widget);
    launcher.onpointerenter = launcher.onfocus = fetchChat;
    launcher.onclick = parlor.toggle;
    if (!gone) {
      attach();
      // Taken away by the page, it has no size any more.
      new ResizeObserver(() => gone || soon(attach)).observe(launcher);
      // The browser reads the owner's colour, however it is written.
      frame.style.color = widget.color;
      frame.style.cssText = palette(getComputedStyle(frame).color);

      const key = `parlor.${options.token}.`;
      try {
        if (localStorage[`${key}run`] || sessionStorage[`${key}open`]) fetchChat();
        if (widget.popup_timeout && !sessionStorage[`${key}teased`]) {
          timer = setTimeout(passing('tease'), widget.popup_timeout * 1000);
        }
      } catch {
        // A browser that refuses storage: no conversation to come back to, and no telling a new session.
      }
    }
    return { ...options, widget, root, frame, launcher, emit };
  };
  const drawn = new Promise<Host>((done) => begin().then(done, failed));

  const queued = window.Parlor?.q as unknown as Call[] | undefined;
  window.Parlor = parlor;
  queued?.forEach?.(parlor.q.push);
  return parlor;
}
