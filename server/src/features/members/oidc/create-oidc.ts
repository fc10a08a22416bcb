import type { Logger } from 'pino';
import type { ActionOfOne } from '../../../events/audit.ts';
import { createBoundedFetch } from '../../../net/bounded-fetch.ts';
import { createOutgoing } from '../../../net/outgoing.ts';
import type { Config } from '../../../platform/config.ts';
import { secretHash } from '../../../platform/random-secret.ts';
import { type RegistrationClaimModel, takeClaim } from '../../accounts/registration.model.ts';
import type { InvitationAcceptance } from '../invitation-acceptance.ts';
import type { ActiveMember } from '../member.ts';
import type { MemberStore } from '../member-store.ts';
import { memberOfIdentity } from './member-of-identity.ts';
import { OidcError } from './oidc-error.ts';
import { OidcProvider, type SignInChecks } from './provider.ts';
import { FLOW_MS } from './sealed-cookie.ts';

const CONNECT_TIMEOUT_MS = 3_000;

/** What a provider says of itself, of its keys and of somebody: a few KiB each. */
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_WIRE_BYTES = 2 * MAX_ANSWER_BYTES;

interface Parts {
  acceptance: InvitationAcceptance;
  claims: RegistrationClaimModel;
  config: Config;
  log: Logger;
  store: MemberStore;
}

/** Sign-in at a provider of OpenID Connect (docs/contract.md#openid-connect); undefined where none is set. */
export const createOidc = ({ acceptance, claims, config, log, store }: Parts) => {
  const { OIDC_ISSUER: issuer, OIDC_NAME, OIDC_ALLOW_PRIVATE: allowPrivate } = config;
  if (issuer === '') return undefined;
  const outgoing = createOutgoing({
    allowAnyPort: true,
    allowPrivate,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxResponseBytes: MAX_WIRE_BYTES,
  });
  const client = {
    issuer,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    timeout: config.OIDC_TIMEOUT,
  };
  const provider = new OidcProvider(client, createBoundedFetch(outgoing, MAX_ANSWER_BYTES), log);
  return {
    /** What the button at sign-in says. */
    name: OIDC_NAME || new URL(issuer).host,
    provider,

    /**
     * The member that the provider has led back to here, once.
     * @param action what the audit trail says of an invitation that is accepted so
     * @throws OidcError
     */
    async member(answer: URL, checks: SignInChecks, action: ActionOfOne): Promise<ActiveMember> {
      const once = `sign-in ${secretHash(checks.state)}`;
      const isFirst = await takeClaim(claims, once, new Date(Date.now() + FLOW_MS));
      if (!isFirst) throw new OidcError('not_begun_here', 'used before');
      return memberOfIdentity({ acceptance, store }, await provider.identify(answer, checks), action);
    },

    /** A member who can sign in; undefined for one that has been removed. */
    active: async (account: string, uuid: string) => (await store.active(account, uuid))?.member,

    stop: () => outgoing.destroy(),
  };
};

export type Oidc = NonNullable<ReturnType<typeof createOidc>>;
