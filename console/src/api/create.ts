import { newIdempotencyKey } from '@parlor/shared/idempotency-key';
import { useState } from 'preact/hooks';
import { ApiError, ask } from './client.ts';

/** A request with the same key is still running. */
const isRunning = ({ status, retryAfter }: ApiError): boolean => status === 409 && retryAfter > 0;

/** Whether it may have been done, or may be yet. */
const isUnknown = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500 || isRunning(error));

/**
 * Makes objects. Where an answer was lost, the same content is sent under the same Idempotency-Key until there is one: what was
 * made by then is answered, and not made twice (docs/contract.md#idempotency-keys).
 */
export class Creation {
  /** Of what was sent and not answered. */
  readonly #keys = new Map<string, string>();

  /** @param path behind /api/v1/ @throws ApiError */
  readonly create = async <T>(path: string, body?: object): Promise<T> => {
    const content = JSON.stringify([path, body]);
    const key = this.#keys.get(content) ?? newIdempotencyKey(Date.now());
    this.#keys.set(content, key);
    try {
      const made = await ask<T>('POST', path, body, { headers: { 'Idempotency-Key': key } });
      this.#keys.delete(content);
      return made;
    } catch (error) {
      if (!isUnknown(error)) this.#keys.delete(content);
      // To whoever waits it is the same as no answer.
      throw error instanceof ApiError && isRunning(error) ? new ApiError(0, '') : error;
    }
  };

  /** What is made next is another one, whatever became of the last. */
  readonly forget = (): void => this.#keys.clear();
}

/** What makes objects in a form, as long as that is open. */
export const useCreation = (): Creation => useState(() => new Creation())[0];
