import { signal } from '@preact/signals';

/** What the member has marked unread: to have it open is no reading of it, until it is opened anew or written in. */
const marked = signal<ReadonlySet<string>>(new Set());

export const isMarked = (uuid: string): boolean => marked.value.has(uuid);

export const mark = (uuid: string): void => {
  marked.value = new Set(marked.peek()).add(uuid);
};

export const unmark = (uuid: string): void => {
  const next = new Set(marked.peek());
  if (next.delete(uuid)) marked.value = next;
};

/** Forgets everything: whoever signs in next may be somebody else. */
export const unmarkAll = (): void => {
  marked.value = new Set();
};
