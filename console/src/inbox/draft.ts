import type { Draft as ServerDraft } from '@parlor/shared';
import { ApiError, askTagged, CHANGED_SINCE } from '../api/client.ts';
import { type Base, type Begun, isSame, isSent, joined, NOTHING } from './begun.ts';
import { elsewhere, tellElsewhere, tellUnkept } from './unkept.ts';

/** What the tab keeps of a draft over a reload. */
interface Kept extends Partial<Begun> {
  /** What of the server it goes on from; undefined: the server has not been read, and nothing is written over it. */
  base?: Base | undefined;
  /** What was sent there since, and may have arrived. */
  tried?: Begun[];
}

/** The server gets what is typed at most this often (milliseconds). */
const KEEP_EVERY_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** How often one asks again at once where another device writes at the same time. */
const MAX_OVERTAKEN = 3;

/** Asking again would not help: nobody is signed in, or the conversation is out of view. */
const OUT_OF_VIEW: readonly number[] = [401, 403, 404];
/** What was sent is refused as it is: it is for whoever types to change. */
const REFUSED: readonly number[] = [400, 413, 422];

/** The draft of a conversation, in this tab and on the server, where another device may write on it, too. */
export class Draft {
  /** Shows in the field what has come from elsewhere, while the conversation is open. */
  show: ((begun: Begun) => void) | undefined;
  readonly #uuid: string;
  /** Its name in the tab. */
  readonly #name: string;
  #begun: Begun | undefined;
  #base: Base | undefined;
  #tried: Begun[];
  /** What was sent from another device, as long as the server may still have it as a draft. */
  #sent: Begun | undefined;
  /** Whether the server may have something else than what is known of it. */
  #isStale = true;
  #hasFailed = false;
  #isForgotten = false;
  #timer: number | undefined;
  #pause = FIRST_PAUSE_MS;
  #running: Promise<void> | undefined;
  /** What is on its way to the server. */
  #writing: Begun | undefined;

  constructor(uuid: string, name: string, { base, tried = [], ...begun }: Kept = {}) {
    this.#uuid = uuid;
    this.#name = name;
    this.#base = base;
    this.#tried = tried;
    const { body, is_note = false } = begun;
    if (body !== undefined) this.#begun = { body, is_note };
    this.#tell();
  }

  /** As far as this tab knows. */
  get begun(): Begun {
    return this.#begun ?? NOTHING;
  }

  /** Whether the server is to get something yet. */
  get isDirty(): boolean {
    return this.#begun !== undefined && !(this.#base && isSame(this.#base, this.#begun));
  }

  /** Whether the server and the tab's storage have all that is known here, and nothing is under way. */
  get isSettled(): boolean {
    const isIdle = this.#running === undefined && this.#timer === undefined;
    return isIdle && !this.isDirty && !this.#hasOther && this.#sent === undefined;
  }

  /** Something was typed. The server gets it a moment later; at once where there is nothing any more, as it was sent. */
  type(begun: Begun): void {
    this.#begun = begun;
    this.#store();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (begun.body === '') void this.sync();
    else this.#later(KEEP_EVERY_MS);
  }

  /** Another device may have written on it. */
  readAgain(): void {
    this.#isStale = true;
    this.#pause = FIRST_PAUSE_MS;
    void this.sync();
  }

  /** Something was sent from another device: what was begun of it here would go out twice. */
  takeSent(sent: Begun): void {
    this.#sent = sent;
    if (isSent(this.begun, sent)) this.#put({ ...this.begun, body: '' });
    this.#store();
    this.readAgain();
  }

  /** What was written here stays, and what was written on another device stands below it, or is given up. */
  settle(isToStay: boolean): void {
    const other = elsewhere.peek().get(this.#uuid);
    if (!other) return;
    this.#base = other;
    tellElsewhere(this.#uuid, undefined);
    if (isToStay) this.#put(joined(this.begun, other));
    this.#store();
    void this.sync();
  }

  /** Has the server get what it has yet to get, whatever is under way: the page may never be seen again. */
  flush(): void {
    if (!this.isDirty || this.#hasOther) return;
    if (!this.#writing) void this.sync();
    else if (!isSame(this.#writing, this.begun)) void this.#write().catch(() => this.readAgain());
  }

  /** Has the server have all of it, also what was written on another device. @throws Error where it can't be reached */
  async handOver(): Promise<void> {
    if (!this.isDirty) return;
    await this.sync();
    if (this.#hasOther) {
      this.settle(true);
      await this.sync();
    }
    if (this.#timer !== undefined && this.isDirty) throw new Error('a draft could not be kept');
  }

  /** Takes it out of the tab. */
  forget(): void {
    this.#isForgotten = true;
    clearTimeout(this.#timer);
    tellElsewhere(this.#uuid, undefined);
    this.#tell();
    try {
      sessionStorage.removeItem(this.#name);
    } catch {
      // The browser keeps nothing.
    }
  }

  /** Has the tab and the server have the same, as far as nothing is lost by it; what fails is tried again later. */
  sync(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    for (let overtaken = 0; !this.#isForgotten; ) {
      try {
        if (this.#isStale || !this.#base) await this.#read();
        else if (!this.isDirty) return this.#done();
        else if (this.#timer !== undefined || this.#hasOther) return;
        else {
          await this.#write();
          this.#done();
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // It may have arrived, or another device has written.
        this.#isStale = true;
        if (error.status === CHANGED_SINCE && ++overtaken < MAX_OVERTAKEN) continue;
        this.#hasFailed = !OUT_OF_VIEW.includes(error.status);
        this.#tell();
        if (!this.#hasFailed || REFUSED.includes(error.status)) return;
        this.#later(Math.max(error.retryAfter * 1_000, this.#pause * (0.5 + Math.random())));
        this.#pause = Math.min(MAX_PAUSE_MS, this.#pause * 2);
        return;
      }
    }
  }

  #done(): void {
    this.#hasFailed = false;
    this.#pause = FIRST_PAUSE_MS;
    this.#tell();
  }

  async #read(): Promise<void> {
    this.#isStale = false;
    const before = this.#base;
    const { object, etag } = await askTagged<ServerDraft>('GET', this.#path);
    if (this.#isForgotten) return;
    // It may have been read before what this tab has written meanwhile.
    if (this.#base !== before) {
      this.#isStale = true;
      return;
    }
    const base = { body: object.body, is_note: object.is_note, etag };
    const wasSent = this.#sent !== undefined && isSent(base, this.#sent);
    const theirs = wasSent ? NOTHING : base;
    if (!wasSent) this.#sent = undefined;
    const isOwn = this.#tried.some((one) => isSame(one, theirs));
    const isKnown = this.#base !== undefined && isSame(this.#base, theirs);
    const hasNone = !this.isDirty || (this.begun.body === '' && !isKnown);
    const isIn = isKnown || this.begun.body.includes(theirs.body);
    // Own words that the server's are none of: both stay until somebody says what becomes of them.
    if (!isOwn && !hasNone && !isIn) {
      tellElsewhere(this.#uuid, base);
      this.#tell();
      return;
    }
    if (!isOwn && hasNone) this.#put({ body: theirs.body, is_note: theirs.is_note });
    tellElsewhere(this.#uuid, undefined);
    this.#base = base;
    this.#tried = [];
    this.#store();
  }

  async #write(): Promise<void> {
    const { begun } = this;
    this.#tried.push(begun);
    this.#store();
    this.#writing = begun;
    const headers: Record<string, string> = this.#base?.etag ? { 'If-Match': this.#base.etag } : {};
    try {
      // A page that is closed still sends it.
      const { etag } = await askTagged('PUT', this.#path, begun, { keepalive: true, headers });
      this.#base = { ...begun, etag };
      this.#tried = [];
      this.#sent = undefined;
      this.#store();
    } finally {
      if (this.#writing === begun) this.#writing = undefined;
    }
  }

  get #path(): string {
    return `conversations/${this.#uuid}/draft/`;
  }

  #later(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.sync(), pause);
  }

  /** What was not typed here. */
  #put(begun: Begun): void {
    const hasChanged = !isSame(begun, this.begun);
    this.#begun = begun;
    if (hasChanged) this.show?.(begun);
  }

  #store(): void {
    if (this.#isForgotten) return;
    this.#tell();
    try {
      const kept: Kept = { ...this.#begun, base: this.#base, tried: this.#tried };
      if (this.begun.body === '' && !this.isDirty) sessionStorage.removeItem(this.#name);
      else sessionStorage.setItem(this.#name, JSON.stringify(kept));
    } catch {
      // The browser keeps nothing, or has no room for it: then the server alone does.
    }
  }

  #tell(): void {
    const isUnkept = !this.#isForgotten && this.isDirty && this.begun.body !== '';
    tellUnkept(this.#uuid, isUnkept ? this.#hasFailed || !this.#base || this.#hasOther : undefined);
  }

  get #hasOther(): boolean {
    return elsewhere.peek().has(this.#uuid);
  }
}
