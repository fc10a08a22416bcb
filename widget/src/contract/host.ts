import type { ParlorEvents, Visitor } from './page.ts';
import type { Widget } from './server.ts';

/** What the tag says, or the call of `mount`. */
interface Tag {
  /** The address under which the API lies, with a slash at its end. */
  server: string;
  token: string;
  /** The language; without it the page's, else the browser's. */
  locale?: string | undefined;
  /** `light` or `dark`; without it as the page is. */
  scheme?: string | undefined;
}

/** What the loader hands to the chat. */
export interface Host extends Tag {
  widget: Widget;
  root: ShadowRoot;
  /** The element in the shadow root that launcher and window share; carries colours and places. */
  frame: HTMLElement;
  launcher: HTMLButtonElement;
  emit<E extends keyof ParlorEvents>(event: E, detail?: ParlorEvents[E]): void;
}

/** What the chat gives back to the loader. */
export interface Chat {
  open(): void;
  close(): void;
  toggle(): void;
  /** Shows the greeting beside the launcher, unless the window is open or was. */
  tease(): void;
  setVisitor(visitor: Visitor): void;
  setLocale(tag: string): void;
  send(text: string): void;
  destroy(): void;
}

export interface ChatModule {
  createChat(host: Host): Chat;
  /** Says why the server does not give the widget's configuration, and what the page's owner can do. */
  explain(answer: Response, tag: Tag): Promise<string>;
}

/** What the loader needs to start: the script tag and `mount` both end here. */
export interface Start extends Tag {
  /** Fetches the chat; may be tried again after a failure. */
  load(): Promise<ChatModule>;
}
