import { signal } from '@preact/signals';
import { ApiError, ask } from '../api/client.ts';
import { onLeave } from './leaving.ts';
import { settleToast, toast } from './toast.tsx';

/** The paths of what is shown no more: removed, or about to be. */
export const removed = signal<ReadonlySet<string>>(new Set());

const mark = (path: string, isRemoved: boolean): void => {
  const next = new Set(removed.value);
  if (isRemoved) next.add(path);
  else next.delete(path);
  removed.value = next;
};

const underWay = new Set<Promise<void>>();

interface Removal {
  /** Behind /api/v1/. */
  path: string;
  /** With it, nothing is removed that has changed since it was read. */
  etag?: string;
  /** What is said while it can be taken back. */
  text: string;
  /** It is shown again, and here is why. */
  onFailed(error: ApiError): void;
}

const send = async ({ path, etag, onFailed }: Removal): Promise<void> => {
  try {
    const headers: Record<string, string> = etag === undefined ? {} : { 'If-Match': etag };
    await ask('DELETE', path, undefined, { headers, keepalive: true });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // It is not there any more, which is what was wanted.
    if (error.status === 404) return;
    mark(path, false);
    onFailed(error);
  }
};

/** Removes an object: from the screen at once, from the server when that can't be taken back any more. */
export const remove = (removal: Removal): void => {
  mark(removal.path, true);
  toast(
    removal.text,
    () => mark(removal.path, false),
    () => {
      const sent = send(removal).finally(() => underWay.delete(sent));
      underWay.add(sent);
    },
  );
};

/** Asks the server at once for what can still be taken back, and waits for it. */
export const settleRemovals = async (): Promise<void> => {
  settleToast();
  await Promise.all(underWay);
};

// A page that is hidden may never be seen again.
onLeave(settleToast);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') settleToast();
});
