import { askTagged, type Tagged } from './client.ts';

/**
 * One object of the API that is read again and again, and changed. No answer is older than one that was given before:
 * a read waits for the change that is under way; one that a change has overtaken is sent again, and of one that a later
 * read has overtaken that one's answer is taken.
 */
export class Resource<T> {
  readonly #path: string;
  #reads = 0;
  #latest: Promise<Tagged<T>> | undefined;
  #writes = 0;
  /** Settles, always well, when no change is under way. */
  #written: Promise<unknown> = Promise.resolve();

  /** @param path behind /api/v1/ */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Reads it as it stands now. Of reads at once all get what the last one found.
   * @param headers asked for each time that it is sent
   * @throws ApiError
   */
  read(headers: () => Readonly<Record<string, string>> = () => ({})): Promise<Tagged<T>> {
    this.#latest = this.#read(++this.#reads, headers);
    return this.#latest;
  }

  /**
   * Changes it where it stands as the entity tag says.
   * @throws ApiError, with the status 412 where somebody else has changed it since
   */
  patch(wanted: object, etag: string): Promise<Tagged<T>> {
    return this.write(() => askTagged<T>('PATCH', this.#path, wanted, { headers: { 'If-Match': etag } }));
  }

  /** Sends what changes it in another way. @throws whatever `send` throws */
  write<R>(send: () => Promise<R>): Promise<R> {
    this.#writes++;
    const answer = this.#written.then(send);
    this.#written = answer.catch(() => undefined);
    return answer;
  }

  async #read(own: number, headers: () => Readonly<Record<string, string>>): Promise<Tagged<T>> {
    await this.#written;
    const writes = this.#writes;
    const [answer] = await Promise.allSettled([
      askTagged<T>('GET', this.#path, undefined, { headers: headers() }),
    ]);
    // What a later read has found may be older than the change, too.
    if (writes !== this.#writes) return this.read(headers);
    if (own !== this.#reads) return this.#latest as Promise<Tagged<T>>;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }
}
