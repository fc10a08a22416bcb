import { MAX_BULK } from '@parlor/shared/limits';
import { computed, signal } from '@preact/signals';
import { list } from './store.ts';

/** Whether conversations are being selected: the rows have boxes then. */
export const isSelecting = signal(false);

const uuids = signal<ReadonlySet<string>>(new Set());

/** The conversations that are selected and still in the list. */
export const selected = computed(() => list.value.filter(({ uuid }) => uuids.value.has(uuid)));

export const isSelected = (uuid: string): boolean => uuids.value.has(uuid);

/** Selects a conversation, or not any more. */
export const flip = (uuid: string): void => {
  const next = new Set(uuids.value);
  if (!next.delete(uuid) && next.size < MAX_BULK) next.add(uuid);
  uuids.value = next;
  isSelecting.value = true;
};

/** Selects what of the list has been read, or nothing where that is selected already. */
export const flipAll = (): void => {
  const all = list.value.slice(0, MAX_BULK).map(({ uuid }) => uuid);
  uuids.value = new Set(selected.value.length === all.length ? [] : all);
};

/** Ends selecting. */
export const selectNone = (): void => {
  uuids.value = new Set();
  isSelecting.value = false;
};
