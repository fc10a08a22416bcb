/**
 * Root works in another user's data directory as that user. By its own rights it would follow whatever link that user has put
 * there, into any file of the machine; and what it makes would keep the service from its next start.
 */
import { lstatSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';

export interface Owner {
  uid: number;
  gid: number;
}

interface Ids extends Owner {
  groups: number[];
}

/** What this process is by itself, while it acts as another user. */
let itself: Ids | undefined;

/** Who may change what stands at a path: of a link who has made it, unless that is root, and of what is not there whoever has its folder. */
export function ownerOf(path: string): Owner {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return ownerOf(dirname(path));
    return found.isSymbolicLink() && found.uid === 0 ? statSync(path) : found;
  } catch {
    // This process may not look there: opening it tells so.
    return { uid: 0, gid: 0 };
  }
}

/**
 * Has this process, where it is root and the owner another user, work with that user's rights until what it gives is called:
 * all of its threads, so also what a worker thread does meanwhile. Inside of another such call, and in a worker thread, it does
 * nothing; nor as a root that may not, as in some containers, which opens nobody's database but one that it has made.
 */
export function actAs(owner: Owner): () => void {
  if (owner.uid === 0 || !isMainThread || process.geteuid?.() !== 0) return () => {};
  const own = { uid: 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] };
  try {
    take(idsOf(owner));
  } catch (error) {
    process.seteuid?.(0);
    process.setegid?.(own.gid);
    if (!['EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return () => {};
  }
  itself = own;
  return () => {
    itself = undefined;
    take(own);
  };
}

/** The same for the owner of a path. */
export const actAsOwnerOf = (path: string): (() => void) => actAs(ownerOf(path));

/** Does something at once with this process's own rights, also while it acts as another user. */
export function asItself<T>(work: () => T): T {
  const own = itself;
  if (!own) return work();
  const acting = {
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
  };
  take(own);
  try {
    return work();
  } finally {
    take(acting);
  }
}

/** The rights of a user as its service has them. */
function idsOf({ uid, gid }: Owner): Ids {
  process.seteuid?.(uid);
  const user = ownEntry();
  process.seteuid?.(0);
  // Root's group, as after `chown -R parlor data`, may write what the service may not.
  const group = gid || user?.gid || 0;
  process.setegid?.(group);
  if (user) (process as InitGroups).initgroups(user.username, group);
  else process.setgroups?.([]);
  return { uid, gid: group, groups: process.getgroups?.() ?? [] };
}

/** Node.js has it where it has `seteuid`; its types do not know of it. */
type InitGroups = NodeJS.Process & { initgroups(user: string, extraGroup: number): void };

/** What the system knows of the user that this process acts as; in a container often nothing. */
function ownEntry(): { username: string; gid: number } | undefined {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
}

function take({ uid, gid, groups }: Ids): void {
  process.seteuid?.(0);
  process.setgroups?.(groups);
  process.setegid?.(gid);
  process.seteuid?.(uid);
}
