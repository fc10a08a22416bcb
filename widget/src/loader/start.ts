import type { Parlor } from '../types.ts';
import { palette } from './color.ts';
import type { Chat, Start } from './host.ts';
import css from './launcher.css?inline';

type Call = readonly [name: string, ...rest: unknown[]];
type Anything = (...rest: unknown[]) => unknown;

const ICON = 'M20.5 12a8.5 8.5 0 0 1-12.4 7.5l-4.6 1 1-4.6A8.5 8.5 0 1 1 20.5 12Z';
const WORTH_A_FETCH = /open|toggle|send|tease/;

const make = (tag: string, attributes: Record<string, string> = {}, svg = '1999/xhtml') => {
  const element = document.createElementNS(`http://www.w3.org/${svg}`, tag) as HTMLElement;
  for (const name in attributes) element.setAttribute(name, attributes[name] as string);
  return element;
};

/**
 * Draws the launcher and puts `window.Parlor` in its place. Everything else is the chat's, which is fetched
 * when a visitor points at the button, opens it, comes back to a running conversation, or when
 * `popup_timeout` runs out. A page has one widget: a second start gives the first one.
 */
export function start(settings: Start): Parlor {
  const { server, token, locale, load } = settings;
  const page = window as unknown as { Parlor?: Parlor };
  if (page.Parlor?.open) return page.Parlor;

  const listeners: Record<string, Set<Anything>> = {};
  const pending: Call[] = [];
  const host = make('parlor-widget', { popover: 'manual' });
  const top = document.documentElement;
  let chat: Chat | undefined;
  let loading = false;
  let fetchChat: (() => void) | undefined;
  let gone = false;
  let tries = 0;
  let timer = 0;

  const emit = (event: string, detail?: unknown) => {
    for (const listener of listeners[event] ?? []) listener(detail);
  };

  const failed = (why: unknown) => {
    if (gone) return;
    console.warn('Parlor:', why);
    emit('error', `${why}`);
  };

  /** Gives a call to the chat, or keeps it until there is one. */
  const passing =
    (name: string) =>
    (argument?: unknown): void => {
      if (chat) chat[name as 'send'](argument as string);
      else {
        pending.push([name, argument]);
        if (WORTH_A_FETCH.test(name)) fetchChat?.();
      }
    };

  // Beside the body, not in it: a single-page application that swaps the body leaves it where it is. In the
  // top layer no transform, filter or stacking of the page reaches it.
  const attach = () => {
    if (!host.isConnected) {
      top.append(host);
      host.showPopover?.();
    }
  };
  const observer = new MutationObserver(attach);

  const parlor: Record<string, unknown> = {
    show() {
      host.hidden = false;
    },
    hide() {
      given.close();
      host.hidden = true;
    },
    destroy() {
      gone = true;
      clearTimeout(timer);
      observer.disconnect();
      chat?.destroy();
      host.remove();
      delete page.Parlor;
    },
    on(event: string, listener: Anything) {
      listeners[event] ??= new Set();
      listeners[event].add(listener);
      return () => void listeners[event]?.delete(listener);
    },
    q: { push: ([name, ...rest]: Call) => (parlor[name] as Anything)?.(...rest) },
  };
  for (const name of ['open', 'close', 'toggle', 'send', 'setVisitor', 'setLocale'])
    parlor[name] = passing(name);

  const queued = page.Parlor?.q as unknown as Call[] | undefined;
  const given = parlor as unknown as Parlor;
  page.Parlor = given;
  queued?.forEach(given.q.push);

  (async () => {
    const wanted = [locale, top.lang, ...navigator.languages];
    const answer = await fetch(`${server}api/v1/widgets/?token=${token}&locale=${wanted}`);
    const widget = await answer.json();
    if (!answer.ok) throw widget.detail;
    // Behind the body, so that it is the last to be reached by keyboard. No frame is drawn before there is one.
    if (!document.body) await new Promise(requestAnimationFrame);
    if (gone) return;

    const root = host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
    const named = { 'aria-label': widget.start_button_caption };
    const frame = make('section', { class: 'parlor', ...named });
    frame.style.cssText = palette(widget.color);

    const launcher = make('button', { class: 'launcher', ...named }) as HTMLButtonElement;
    // All margins are `auto`; the one without leaves it at that edge, and `margin-center` means nothing.
    launcher.style.cssText = `margin-${widget.vertical_align}:0;margin-${widget.horizontal_align}:0`;
    const icon = make('svg', { viewBox: '0 0 24 24' }, '2000/svg');
    icon.append(make('path', { d: ICON }, '2000/svg'));
    launcher.append(icon);
    if (widget.use_new_button) launcher.appendChild(make('span')).textContent = widget.start_button_caption;

    fetchChat = () => {
      if (loading) return;
      loading = true;
      load(tries++)
        .then((module) => {
          if (gone) return;
          chat = module.createChat({ ...settings, widget, root, frame, launcher, emit });
          for (const [name, argument] of pending) passing(name)(argument);
        })
        .catch((why) => {
          loading = false;
          failed(why);
        });
    };
    launcher.onpointerenter = launcher.onfocus = fetchChat;
    launcher.onclick = given.toggle;

    frame.append(launcher);
    root.append(frame);
    attach();
    observer.observe(top, { childList: true });
    emit('ready');

    const key = `parlor.${token}.`;
    try {
      if (
        pending.some(([name]) => WORTH_A_FETCH.test(name)) ||
        localStorage[`${key}run`] ||
        sessionStorage[`${key}open`]
      )
        fetchChat();
      if (widget.popup_timeout && !sessionStorage[`${key}teased`]) {
        timer = setTimeout(passing('tease'), widget.popup_timeout * 1000);
      }
    } catch {
      // A browser that refuses storage: no conversation to come back to, and no telling a new session.
    }
  })().catch(failed);

  return given;
}
