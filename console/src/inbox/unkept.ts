import { type Signal, signal } from '@preact/signals';
import { connection } from '../api/live.ts';
import { askToStay } from '../ui/leaving.ts';
import type { Base } from './begun.ts';

/** Whose words the server does not have yet, by the uuid of the conversation, and whether it will not get them by itself. */
const unkept = signal<ReadonlyMap<string, boolean>>(new Map());

// What is typed at the last moment gets there without being asked for, where there is a server.
askToStay(() => {
  const isAway = connection.value !== 'live';
  return [...unkept.value.values()].some((isStuck) => isStuck || isAway);
}, true);

/** What was written on another device where something else was written here, by the uuid of the conversation. */
export const elsewhere = signal<ReadonlyMap<string, Base>>(new Map());

const put = <T>(all: Signal<ReadonlyMap<string, T>>, uuid: string, value: T | undefined): void => {
  if (all.peek().get(uuid) === value) return;
  const next = new Map(all.peek());
  if (value === undefined) next.delete(uuid);
  else next.set(uuid, value);
  all.value = next;
};

/** @param isStuck undefined: the server has all words that were written in the conversation */
export const tellUnkept = (uuid: string, isStuck: boolean | undefined): void => put(unkept, uuid, isStuck);

/** @param other undefined: there is nothing that does not stand in the field, too */
export const tellElsewhere = (uuid: string, other: Base | undefined): void => put(elsewhere, uuid, other);
