import type { Account, Member } from '@parlor/shared';
import { computed, signal } from '@preact/signals';
import { ApiError, ask, belongTo, memberOfPage, whenForbidden, whenSignedOut } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { isReloading, reload } from '../ui/leaving.ts';
import { takeToken } from './take-token.ts';

/** `unknown` until the server has said who is signed in, `unreachable` when it has not answered. */
type State = 'unknown' | 'unreachable' | 'out' | 'in';

/** Who is signed in, and where. */
export const session = signal<State>('unknown');
export const me = signal<Member | undefined>(undefined);
export const account = signal<Account | undefined>(undefined);

/** Whether the account asks for a second factor that the member has not set up. */
export const lacksSecondFactor = computed(
  () => account.value?.requires_totp === true && me.value?.has_totp === false,
);

/** Whether the account is the member's to download and delete. */
export const isOwner = computed(() => me.value?.role === 'owner');

/** Whether the member may change what concerns everybody: members, widgets, webhooks. */
export const isAdmin = computed(() => isOwner.value || me.value?.role === 'admin');

const signedOut = (): void => {
  hasOtherRole.value = false;
  session.value = 'out';
  me.value = undefined;
  account.value = undefined;
};

/**
 * Why somebody has to sign in who may not expect it: the session has ended elsewhere, its account was deleted here, or the
 * link that a start has printed was no good any more.
 */
export const signInReason = signal<'ended' | 'deleted' | 'linkUsed' | undefined>(undefined);

whenSignedOut(() => {
  if (session.value === 'in') signInReason.value = 'ended';
  signedOut();
});

/** Signs in by the link that a start has printed, where the page was opened by it; else asks who is signed in. */
export const enter = async (): Promise<void> => {
  const token = takeToken('welcome');
  if (token === '') return loadSession();
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    await ask<Member>('POST', 'auth/welcome', { token, time_zone });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    signInReason.value = 'linkUsed';
  }
  await loadSession();
};

/**
 * Begins anew where somebody else has signed in than the member whose page this is, here or in another page of this browser: what stands
 * here was read, and is written, in another name. @returns whether it is so
 */
const leaveTo = ({ uuid }: Member): boolean => {
  belongTo(uuid);
  const isAnother = memberOfPage() !== uuid;
  if (isAnother) reload();
  return isAnother;
};

/** Asks who is signed in, whose page this may not be. @throws ApiError */
const readMember = (): Promise<Member> => ask('GET', 'auth/session', undefined, { asAnybody: true });

/** Whether the member had another role when this page was opened, by which it saw more or other pages. */
export const hasOtherRole = signal(false);

const takeRole = ({ role, widgets }: Member): void => {
  const known = me.value;
  if (!known || (known.role === role && String(known.widgets) === String(widgets))) return;
  if (known.role !== role) hasOtherRole.value = true;
  me.value = { ...known, role, widgets };
};

/** @returns whether it is still the same member who is signed in, maybe in another role @throws ApiError */
export const recognize = async (): Promise<boolean> => {
  const member = await readMember();
  if (leaveTo(member)) return false;
  takeRole(member);
  return true;
};

let checking: Promise<void> | undefined;

/**
 * Looks whether it is still the same member, and in which role; where the server does not answer, that is for the next
 * request to say.
 */
export const checkMember = (): Promise<void> => {
  const check = async () => {
    await recognize().catch(() => undefined);
    checking = undefined;
  };
  checking ??= check();
  return checking;
};

whenForbidden(() => {
  if (session.value === 'in') void checkMember();
});

/** Asks the server who is signed in; where it does not answer, somebody who is signed in stays so. */
export const loadSession = async (): Promise<void> => {
  try {
    const [member, its] = await Promise.all([
      readMember(),
      ask<Account>('GET', 'account/', undefined, { asAnybody: true }),
    ]);
    if (leaveTo(member)) return;
    [me.value, account.value] = [member, its];
    session.value = 'in';
    signInReason.value = undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) signedOut();
    else if (session.value !== 'in') session.value = 'unreachable';
  }
};

// Somebody may have signed in in another tab while this one showed the form; what is typed into it stays where nobody has.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible' || session.value !== 'out') return;
  void readMember().then(loadSession, () => undefined);
});

/** @throws ApiError with the field `code` where a second factor is asked for, and where the browser keeps no cookies */
export const signIn = async (credentials: {
  username: string;
  password: string;
  code: string;
}): Promise<void> => {
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  await ask<Member>('POST', 'auth/session', { ...credentials, time_zone });
  await loadSession();
  // It has let somebody in, and been asked without the cookie that it gave.
  if (session.value === 'out' && !isReloading()) throw new ApiError(401, words.value.signIn.noCookies);
};

/** Deletes the account with everything in it. @throws ApiError with the field `username` or `password` */
export const deleteAccount = async (credentials: { username: string; password: string }): Promise<void> => {
  await ask('POST', 'account/delete/', credentials);
  signInReason.value = 'deleted';
  signedOut();
};

/** Ends this browser's session. @throws ApiError */
export const signOut = async (): Promise<void> => {
  await ask('DELETE', 'auth/session');
  signedOut();
};
