import type { ParlorEvents, Visitor, Widget } from '../types.ts';

/** What the loader hands to the chat. */
export interface Host {
  /** The address under which the API lies, with a slash at its end. */
  server: string;
  token: string;
  /** The language that the tag asks for, if it does. */
  locale: string | undefined;
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
}

/** What the loader needs to start: the script tag and `mount` both end here. */
export interface Start {
  server: string;
  token: string;
  locale?: string | undefined;
  load(tries: number): Promise<ChatModule>;
}
