import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** What a server sent that HTTP/1.1 does not allow, or that a client could not make sense of. */
export class WireFault extends Error {
  override name = 'WireFault';
}

/** An answer as it stood on the wire. */
export interface WireAnswer {
  status: number;
  /** Names in lower case; a list that came in several fields is joined. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Fields that may stand in several lines, since their values are lists (RFC 9110, 5.3; RFC 6265, 3). */
const LISTS = new Set([
  'allow',
  'cache-control',
  'connection',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'set-cookie',
  'vary',
  'via',
  'www-authenticate',
]);

/** A field line: a token, a colon, and no control characters (RFC 9112, 5). */
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
const PATIENCE_MS = 20_000;

const fault = (what: string): never => {
  throw new WireFault(what);
};

/** An origin may be null (HTML, 7.1.1). */
const ORIGIN = 'access-control-allow-origin';

/** No header says what a program made of nothing. @throws Error */
export const refuseMadeUp = (headers: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(headers))
    if (/^(undefined|null|NaN|\[object \w+\])$/.test(String(value)) && name !== ORIGIN)
      throw new Error(`${name}: ${String(value)}`);
};

const readHead = (text: string): Omit<WireAnswer, 'body'> => {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/.exec(first)?.[1]);
  if (!status) fault(`no status line: ${JSON.stringify(first)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, written = '', value = ''] = FIELD.exec(line) ?? fault(`no field: ${JSON.stringify(line)}`);
    const name = written.toLowerCase();
    const before = headers[name];
    if (before !== undefined && !LISTS.has(name)) fault(`${name} came twice: ${before} and ${value}`);
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  refuseMadeUp(headers);
  return { status, headers };
};

/**
 * A client's HTTP/1.1 connection that believes nothing (RFC 9112): it refuses fields that came twice, lengths that
 * are wrong, bodies where there may be none, broken chunks, and anything between two answers.
 */
export class StrictConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #bytes = Buffer.alloc(0);
  #wake: () => void = () => undefined;
  #ended = false;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#wake();
    });
    // A reset shows as an end: what came before it counts.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
    socket.on('end', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** @param ca the authority of an https server's certificate */
  static async open(url: string, ca?: string): Promise<StrictConnection> {
    const { protocol, hostname, port, host } = new URL(url);
    const isTls = protocol === 'https:';
    const to = { host: hostname, port: Number(port) };
    const socket = isTls ? connectTls({ ...to, ca, servername: 'localhost' }) : connect(to);
    await once(socket, isTls ? 'secureConnect' : 'connect');
    return new StrictConnection(socket, host);
  }

  /**
   * Sends one request and reads its answer, interim ones aside.
   * @param body sent whole before the answer is looked at, as many clients do
   * @throws WireFault
   */
  async request(
    method: string,
    target: string,
    headers: Record<string, string> = {},
    body?: string | Buffer,
  ): Promise<WireAnswer> {
    this.#refuseLeftovers();
    const fields = {
      Host: this.#host,
      ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
    if (body !== undefined) {
      await new Promise<void>((resolve) => this.#socket.write(body, () => resolve()));
    }
    return this.answer(method);
  }

  /** Sends bytes as they are. */
  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Reads the next answer, to a request with that method. */
  async answer(method: string): Promise<WireAnswer> {
    for (;;) {
      const end = await this.#until(() => {
        const at = this.#bytes.indexOf('\r\n\r\n');
        return at < 0 ? undefined : at;
      }, 'the end of the header');
      const { status, headers } = readHead(this.#take(end).toString('latin1'));
      this.#take(4);
      if (status < 200 && status !== 101) continue;
      const body = await this.#readBody(method, status, headers);
      if (headers.connection?.toLowerCase() !== 'close') this.#refuseLeftovers();
      return { status, headers, body };
    }
  }

  /** Whatever has come and was not read, once some of it is there; for streams and upgraded connections. */
  async some(): Promise<Buffer> {
    await this.#until(() => (this.#bytes.length > 0 ? true : undefined), 'bytes');
    return this.#take(this.#bytes.length);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #readBody(method: string, status: number, headers: Record<string, string>): Promise<Buffer> {
    const { 'content-length': length, 'transfer-encoding': coding } = headers;
    if (length !== undefined && !/^\d+$/.test(length)) fault(`content-length: ${length}`);
    if (length !== undefined && coding !== undefined) fault('a length and a transfer coding');
    if (status === 204 || status === 101) {
      // RFC 9110, 8.6 and RFC 9112, 6.1: neither field in these.
      if (length !== undefined || coding !== undefined) fault(`a body is announced in a ${status}`);
      return Buffer.alloc(0);
    }
    if (method === 'HEAD' || status === 304) return Buffer.alloc(0);
    if (coding !== undefined) return coding === 'chunked' ? this.#readChunks() : fault(`coding ${coding}`);
    if (length === undefined) return fault('neither a length nor chunks: the end is a guess');
    await this.#until(() => (this.#bytes.length >= Number(length) ? true : undefined), `${length} bytes`);
    return this.#take(Number(length));
  }

  async #readChunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = await this.#line();
      if (!/^[0-9a-f]+$/i.test(size)) fault(`the size of a chunk: ${JSON.stringify(size)}`);
      const bytes = Number.parseInt(size, 16);
      if (bytes === 0) break;
      await this.#until(() => (this.#bytes.length >= bytes + 2 ? true : undefined), `a chunk of ${bytes}`);
      chunks.push(this.#take(bytes));
      if (this.#take(2).toString('latin1') !== '\r\n') fault('a chunk is longer than it says');
    }
    if ((await this.#line()) !== '') fault('a trailer that nobody asked for');
    return Buffer.concat(chunks);
  }

  async #line(): Promise<string> {
    const end = await this.#until(() => {
      const at = this.#bytes.indexOf('\r\n');
      return at < 0 ? undefined : at;
    }, 'a line');
    const line = this.#take(end).toString('latin1');
    this.#take(2);
    return line;
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  #refuseLeftovers(): void {
    if (this.#bytes.length === 0) return;
    fault(
      `more came than the answer has: ${JSON.stringify(this.#bytes.subarray(0, 100).toString('latin1'))}`,
    );
  }

  async #until<T>(found: () => T | undefined, what: string): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const value = found();
      if (value !== undefined) return value;
      if (this.#ended) fault(`the connection ended before ${what}`);
      if (performance.now() > deadline) fault(`nothing more came before ${what}`);
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, PATIENCE_MS);
        this.#wake = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
  }
}
