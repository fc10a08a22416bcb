import { withoutPrototype } from '../platform/without-prototype.ts';

/** Why a request did not succeed. `status` is 0 where no answer came. */
export class Refusal extends Error {
  readonly status: number;
  /** What the server asks to wait, in milliseconds; 0 where it asks for nothing. */
  readonly wait: number;
  /** The server's field errors, each field with its first. */
  readonly fields: Record<string, string>;

  constructor(status: number, body?: unknown, retryAfter?: string | null) {
    // A field error is a list of texts, `detail` a text: the first of either.
    const fields = Object.fromEntries(
      Object.entries(Object(body)).map(([name, text]) => [name, `${[text].flat()[0]}`]),
    );
    super(Object.values(fields)[0]);
    this.status = status;
    this.fields = fields;
    this.wait = waitOf(retryAfter, Date.now());
  }

  /** True where the same request may well succeed later. */
  get passing(): boolean {
    return [0, 408, 409, 425, 429].includes(this.status) || this.status >= 500;
  }
}

/** `Retry-After` (RFC 9110 10.2.3: seconds or a date) in milliseconds from `now`. */
export function waitOf(retryAfter: string | null | undefined, now: number): number {
  return Math.max(0, Number(retryAfter) * 1000 || Date.parse(retryAfter ?? '') - now || 0);
}

/** What an answer gave: its body, and the address of the next page of a list (RFC 8288). */
export interface Answer<T> {
  body: T;
  next: string | undefined;
}

export interface RequestOptions {
  method?: string;
  body?: unknown;
  /** The visitor's session token. */
  visitor?: string | undefined;
  /** Idempotency-Key: the same request sent twice happens once. */
  key?: string;
  signal: AbortSignal;
}

/** A sandboxed frame without an origin has none, and throws where it is asked. */
const hasServiceWorker = (): boolean => {
  try {
    return !!navigator.serviceWorker?.controller;
  } catch {
    return false;
  }
};

/** No answer after this long counts as none: a phone between two cells must not hold the queue. */
const PATIENCE_MS = 20_000;

/**
 * One request to the server, JSON both ways, without cookies. Throws a `Refusal` for everything but 2xx.
 */
export async function request<T>(url: string, given: RequestOptions): Promise<Answer<T>> {
  const options = withoutPrototype(given);
  const headers: Record<string, string> = {};
  if (options.body) headers['Content-Type'] = 'application/json';
  if (options.visitor) headers.Authorization = `Visitor ${options.visitor}`;
  if (options.key) headers['Idempotency-Key'] = options.key;
  // Not `AbortSignal.timeout`: nothing stops that one, and it keeps all that waited for it in memory.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PATIENCE_MS);
  const address = new URL(url);
  // A page's own service worker may keep every answer for ever, whatever `cache` says.
  if (!options.body && hasServiceWorker()) address.searchParams.set('at', `${Date.now()}`);
  try {
    const answer = await fetch(
      address,
      withoutPrototype<RequestInit>({
        method: options.method ?? (options.body ? 'POST' : 'GET'),
        headers,
        body: JSON.stringify(options.body) ?? null,
        credentials: 'omit',
        cache: 'no-store',
        // A tab that closes right after "Send" still gets its message out.
        keepalive: !!options.body,
        signal: AbortSignal.any([options.signal, late.signal]),
      }),
    );
    const text = await answer.text();
    const body = text ? JSON.parse(text) : undefined;
    if (!answer.ok) throw new Refusal(answer.status, body, answer.headers.get('Retry-After'));
    return { body, next: /<([^>]+)>; *rel="?next/.exec(answer.headers.get('Link') ?? '')?.[1] };
  } catch (error) {
    // A network error, an abort, an answer that is no JSON (a proxy's page): all of them are "no answer".
    throw error instanceof Refusal ? error : new Refusal(0);
  } finally {
    clearTimeout(timer);
  }
}
