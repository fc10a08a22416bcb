import { timingSafeEqual } from 'node:crypto';
import type { ActionOfOne } from '../../events/audit.ts';
import { invalid } from '../../platform/errors.ts';
import { newSecret, secretHash } from '../../platform/random-secret.ts';
import type { ActiveMember } from './member.ts';
import type { MemberStore } from './member-store.ts';
import type { SignIn } from './sign-in.ts';

/** How long a link is good (milliseconds). */
const LINK_LIVES_MS = 15 * 60_000;

/** Where it leads; what comes behind the number sign is sent to no server, and stands in no log. */
const PATH = '/console/#welcome=';

/**
 * The link that a start prints: whoever opens it is signed in, once. It is known to this process alone, and void with the
 * next one.
 */
export class WelcomeLinks {
  readonly #store: Pick<MemberStore, 'active'>;
  readonly #signIn: Pick<SignIn, 'byProvider'>;
  #link: { hash: Buffer; until: number; account: string; member: string } | undefined;

  constructor(store: Pick<MemberStore, 'active'>, signIn: Pick<SignIn, 'byProvider'>) {
    this.#store = store;
    this.#signIn = signIn;
  }

  /** A link's path, good once within 15 minutes; one issued before is void. */
  issue({ account, _id }: Pick<ActiveMember, 'account' | '_id'>): string {
    const secret = newSecret();
    const until = performance.now() + LINK_LIVES_MS;
    this.#link = { hash: Buffer.from(secretHash(secret)), until, account, member: _id };
    return `${PATH}${secret}`;
  }

  /**
   * Who opens the link; from then on it is void.
   * @throws ParlorError `invalid` when it is no good, or its member signs in with a second factor
   */
  async take(secret: string, action: ActionOfOne): Promise<ActiveMember> {
    const link = this.#link;
    const hash = Buffer.from(secretHash(secret));
    const isGood = link && performance.now() < link.until && timingSafeEqual(hash, link.hash);
    if (isGood) this.#link = undefined;
    const found = isGood ? await this.#store.active(link.account, link.member) : undefined;
    if (!found || found.member.totp_sealed !== undefined) {
      throw invalid({ token: ['This link is not good, has run out or was used.'] });
    }
    await this.#signIn.byProvider(found.member, undefined, action);
    return found.member;
  }
}
