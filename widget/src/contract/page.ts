/** What a page's own scripts see. Nothing is imported here: a bundler user gets these types as they are. */

/** What a page tells the widget about its visitor, and what the form asks for. */
export interface Visitor {
  name?: string;
  email?: string;
  phone?: string;
}

/** The events of the page's script interface, and what each one's listener gets. */
export interface ParlorEvents {
  ready: undefined;
  open: undefined;
  close: undefined;
  'message:sent': { uuid: string; body: string };
  'message:received': { uuid: string; body: string };
  lead: Visitor;
  unread: number;
  rating: number;
  error: string;
}

/** `window.Parlor`, and what `mount` gives. No call throws: a wrong argument is one warning in the console. */
export interface Parlor {
  /** Opens the window, and shows the launcher again after `hide`. */
  open(): void;
  close(): void;
  toggle(): void;
  /** Shows the launcher again after `hide`. */
  show(): void;
  /** Takes launcher and window off the screen; the conversation goes on. */
  hide(): void;
  /** Fills in what the form would ask; a field that is left out stays as it was, one that the server does not take is
   *  forgotten. */
  setVisitor(visitor: Visitor): void;
  setLocale(tag: string): void;
  /** Sends a message as the visitor would: kept until the server has acknowledged it. */
  send(text: string): void;
  /** Takes the widget away with everything it holds, `window.Parlor` included. */
  destroy(): void;
  /** Calls `listener` each time, for `ready` also when it comes late; gives the function that stops it. What a listener
   *  throws is a warning in the console. */
  on<E extends keyof ParlorEvents>(event: E, listener: (detail: ParlorEvents[E]) => void): () => void;
  /** Calls made before the script had loaded; later ones are done at once. */
  q: { push(call: readonly [string, ...unknown[]]): void };
}
