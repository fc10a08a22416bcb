import { inOwnWords } from '../locale/locale.ts';

/** The status of a change with `If-Match` where somebody else has changed the object since. */
export const CHANGED_SINCE = 412;

/** What the server has refused, or that it could not be reached: `status` 0. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** What is wrong with each field that was sent; one inside of another goes by its path: `nodes.3.text`. */
  readonly fields: Readonly<Record<string, string>>;

  /** How long to wait before the next try, in seconds; 0 where the server has not said it. */
  readonly retryAfter: number;

  constructor(
    status: number,
    message: string,
    fields: Readonly<Record<string, string>> = {},
    retryAfter = 0,
  ) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.retryAfter = retryAfter;
  }
}

/** Told when a request was refused since nobody is signed in any more. */
type SignedOutListener = () => void;
let onSignedOut: SignedOutListener = () => undefined;

/** From now on `listener` is called when the session has ended, wherever that was noticed. */
export const whenSignedOut = (listener: SignedOutListener): void => {
  onSignedOut = listener;
};

/** Told when a request was refused that whoever is signed in may not make. */
let onForbidden: () => void = () => undefined;

/** From now on `listener` is called when something was refused by one's role, which may be another one than before. */
export const whenForbidden = (listener: () => void): void => {
  onForbidden = listener;
};

/** The member whose page this is: whoever was signed in first on it. */
let pageMember: string | undefined;

/** The uuid of the member whose page this is; undefined until somebody was signed in on it. */
export const memberOfPage = (): string | undefined => pageMember;

/**
 * From now on this page is a member's, and asks as that member only: somebody else who signs in in this browser has a page of its own.
 * @param member its uuid
 */
export const belongTo = (member: string): void => {
  pageMember ??= member;
};

const sentences = (texts: unknown): string =>
  Array.isArray(texts) ? texts.map((text) => inOwnWords(String(text))).join(' ') : '';

/** What is wrong with fields, by their paths. */
const byPath = (errors: object, prefix = ''): [path: string, text: string][] =>
  Object.entries(errors).flatMap(([name, texts]): [string, string][] => {
    if (Array.isArray(texts)) return [[prefix + name, sentences(texts)]];
    return typeof texts === 'object' && texts !== null ? byPath(texts, `${prefix}${name}.`) : [];
  });

const errorOf = ({ status, headers }: Response, body: unknown): ApiError => {
  if (typeof body !== 'object' || body === null) return new ApiError(status, '');
  const { detail, non_field_errors, ...rest } = body as Record<string, unknown>;
  const fields = Object.fromEntries(byPath(rest));
  const message = typeof detail === 'string' ? inOwnWords(detail) : sentences(non_field_errors);
  return new ApiError(status, message, fields, Number(headers.get('Retry-After')) || 0);
};

const UNREADABLE = Symbol('what is no JSON');

const parsed = (text: string): unknown => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
};

/** Beyond this a request counts as lost (milliseconds). */
const PATIENCE_MS = 20_000;

/** How a request differs from the usual one. */
interface Options {
  /** Further headers, such as Idempotency-Key. */
  headers?: Readonly<Record<string, string>>;
  /** Whether it is sent even where the page is closed meanwhile, as far as browsers let it. */
  keepalive?: boolean;
  /** Whether it is the same to the page whoever is signed in by now. */
  asAnybody?: boolean;
  /** Beyond this it counts as lost, where it may take longer than others (milliseconds). */
  patience?: number;
}

/** What requests that outlive their page may send, all of them together (bytes); beyond it browsers refuse them (Fetch). */
const KEEPALIVE_QUOTA = 64 * 1024;
/** What of it is under way. */
let outliving = 0;

/** `fetch` of a body that outlives the page, where the quota has room for it. */
const fetchOutliving = async (address: string, init: RequestInit, body: string): Promise<Response> => {
  const size = new TextEncoder().encode(body).length;
  if (outliving + size > KEEPALIVE_QUOTA) return fetch(address, init);
  outliving += size;
  try {
    return await fetch(address, { ...init, keepalive: true });
  } finally {
    outliving -= size;
  }
};

/** The paths behind /api/v1/ of the pages beside a list's, by their `rel` in `Link` (RFC 8288). */
const linksOf = ({ headers }: Response): Partial<Record<string, string>> => {
  const links = (headers.get('Link') ?? '').matchAll(/\/api\/v1\/([^>]+)>; rel="(\w+)"/g);
  return Object.fromEntries(Array.from(links, ([, path, rel]) => [rel, path]));
};

const request = async <T>(
  method: string,
  path: string,
  body: object | undefined,
  { headers = {}, keepalive = false, asAnybody = false, patience = PATIENCE_MS }: Options = {},
): Promise<{ json: T; links: Partial<Record<string, string>>; etag: string }> => {
  let answer: Response;
  let text: string;
  const isFile = body instanceof Blob;
  const type = body && { 'Content-Type': isFile ? body.type : 'application/json' };
  const member = pageMember !== undefined && !asAnybody && { 'Parlor-Member': pageMember };
  const sent = isFile ? body : body && JSON.stringify(body);
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    signal: AbortSignal.timeout(patience),
    headers: { ...headers, ...type, ...member },
    ...(sent !== undefined && { body: sent }),
  };
  const address = `/api/v1/${path}`;
  try {
    answer = await (keepalive && !isFile
      ? fetchOutliving(address, init, String(sent ?? ''))
      : fetch(address, init));
    text = await answer.text();
  } catch {
    throw new ApiError(0, '');
  }
  const json = parsed(text);
  // Something in between has answered, such as a proxy whose server is away.
  if (json === UNREADABLE) throw new ApiError(0, '');
  if (answer.ok) return { json: json as T, links: linksOf(answer), etag: answer.headers.get('ETag') ?? '' };
  if (answer.status === 401) onSignedOut();
  if (answer.status === 403) onForbidden();
  throw errorOf(answer, json);
};

/**
 * Asks the API of this server, by the session's cookie.
 * @param path behind /api/v1/
 * @param body a file as it is, all else as JSON
 * @returns the answer's JSON; undefined where it has none
 * @throws ApiError
 */
export const ask = async <T>(method: string, path: string, body?: object, options?: Options): Promise<T> =>
  (await request<T>(method, path, body, options)).json;

/** An object as it stands on the server, with its entity tag for `If-Match`. */
export interface Tagged<T> {
  object: T;
  etag: string;
}

/** `ask` for a single object and its entity tag. @throws ApiError */
export const askTagged = async <T>(
  method: string,
  path: string,
  body?: object,
  options?: Options,
): Promise<Tagged<T>> => {
  const { json, etag } = await request<T>(method, path, body, options);
  return { object: json, etag };
};

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** Where the next one is, as `askPage` takes it; undefined on the last. */
  next: string | undefined;
  /** Where the one before it is, of a list that can be read in both directions. */
  previous?: string | undefined;
}

/** Asks for a page of a list. @throws ApiError */
export const askPage = async <T>(path: string): Promise<Page<T>> => {
  const { json, links } = await request<T[]>('GET', path, undefined);
  return { items: json, next: links.next, previous: links.prev };
};

/** Asks for all of a list, page after page. @param path of its first page @throws ApiError */
export const askAll = async <T>(path: string): Promise<T[]> => {
  const all: T[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: Page<T> = await askPage<T>(next);
    all.push(...page.items);
    next = page.next;
  }
  return all;
};
