import type { Author, ServerFrame } from '@parlor/shared';
import { VIEWING_AGAIN_AFTER_MS, VIEWING_ENDS_AFTER_MS } from '@parlor/shared/limits';
import { signal } from '@preact/signals';
import { tell } from '../api/live.ts';
import { me } from '../session/session.ts';

/** A colleague who has the same conversation open. */
interface Viewer {
  member: Author;
  isTyping: boolean;
}

/** Who looks at which room now. */
const viewers = signal<ReadonlyMap<string, Viewer & { room: string }>>(new Map());
const timers = new Map<string, number>();

const set = (id: string, viewer: (Viewer & { room: string }) | undefined): void => {
  const next = new Map(viewers.value);
  if (viewer) next.set(id, viewer);
  else next.delete(id);
  viewers.value = next;
};

/** Takes in who looks at what. */
export const takeViewing = (frame: ServerFrame): void => {
  if (frame.type !== 'viewing' || frame.data.member.uuid === me.value?.uuid) return;
  const { member, is_viewing, is_typing } = frame.data;
  const id = `${frame.room} ${member.uuid}`;
  clearTimeout(timers.get(id));
  set(id, is_viewing ? { room: frame.room, member, isTyping: is_typing } : undefined);
  if (is_viewing)
    timers.set(
      id,
      setTimeout(() => set(id, undefined), VIEWING_ENDS_AFTER_MS),
    );
};

/** The colleagues who look at a room now. */
export const viewersOf = (room: string): Viewer[] =>
  [...viewers.value.values()].filter((viewer) => viewer.room === room);

let current: { room: string; isTyping: boolean } | undefined;

const say = (): void =>
  tell({ type: 'viewing', room: current?.room ?? null, is_typing: current?.isTyping ?? false });

/** Tells colleagues that this room is looked at, until the function that comes back is called. */
export const viewRoom = (room: string): (() => void) => {
  current = { room, isTyping: false };
  say();
  const timer = setInterval(say, VIEWING_AGAIN_AFTER_MS);
  return () => {
    clearInterval(timer);
    if (current?.room !== room) return;
    current = undefined;
    say();
  };
};

/** Tells colleagues whether an answer is being written in the room that is looked at. */
export const writeInRoom = (room: string, isTyping: boolean): void => {
  if (current?.room !== room || current.isTyping === isTyping) return;
  current = { room, isTyping };
  say();
};
