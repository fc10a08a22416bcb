import type { Dispatcher } from 'undici';
import type { Outgoing } from './outgoing.ts';

/** The response is larger than it may be. */
export class TooLargeError extends Error {
  override name = 'TooLargeError';
}

interface FetchOptions {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  /** Ends the request, and the reading of its response. */
  signal?: AbortSignal | undefined;
}

/**
 * As much of `fetch` as libraries need that talk to one server: by the guard of outgoing requests, without
 * redirects, and with responses that are read whole up to `maxBytes`.
 */
export const createBoundedFetch =
  (outgoing: Pick<Outgoing, 'request'>, maxBytes: number) =>
  async (url: string, { method, headers, body, signal }: FetchOptions): Promise<Response> => {
    const { origin, pathname, search } = new URL(url);
    const answer = await outgoing.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers,
      ...(body != null && { body: String(body) }),
      ...(signal && { signal }),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > maxBytes) throw new TooLargeError(`the answer has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    const fields = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    return new Response(size > 0 ? Buffer.concat(chunks) : null, {
      status: answer.statusCode,
      headers: fields,
    });
  };
