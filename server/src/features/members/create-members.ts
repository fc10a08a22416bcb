import type { Logger } from 'pino';
import type { Outbox } from '../../events/audited-collection.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import type { Config } from '../../platform/config.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AccountLeases } from '../accounts/account-leases.ts';
import { KnownAddresses, type KnownAddressModel } from '../accounts/known-addresses.ts';
import { KnownDevices } from '../accounts/known-devices.ts';
import type { Quotas } from '../accounts/quotas.ts';
import type { RegistrationClaimModel } from '../accounts/registration.model.ts';
import { SignInLimits } from '../accounts/sign-in-limits.ts';
import { UniqueNames } from '../accounts/unique-names.ts';
import type { AvatarModel } from './avatars/avatar.model.ts';
import { Avatars } from './avatars/avatars.service.ts';
import { CurrentAvatars } from './avatars/current-avatars.ts';
import { Credentials } from './credentials.ts';
import { InvitationAcceptance } from './invitation-acceptance.ts';
import { LastSeen } from './last-seen.ts';
import { type MemberSessionModel, MemberSessions } from './member-sessions.ts';
import { type MemberModels, MemberStore } from './member-store.ts';
import { type AccountWidgets, MembersService } from './members.service.ts';
import { createOidc } from './oidc/create-oidc.ts';
import { OwnerSuccession } from './owner-succession.ts';
import { type PasswordResetModel, PasswordResets } from './password-resets.ts';
import { type ProgramTokenModel, ProgramTokens } from './program-tokens.ts';
import { SecondFactor } from './second-factor.ts';
import { SignIn, type SignInRecord } from './sign-in.ts';
import { WelcomeLinks } from './welcome-links.ts';

interface Parts {
  models: MemberModels & {
    avatars: AvatarModel;
    memberSessions: MemberSessionModel;
    tokens: ProgramTokenModel;
    passwordResets: PasswordResetModel;
    knownAddresses: KnownAddressModel;
    registrationClaims: RegistrationClaimModel;
  };
  writes: Outbox;
  secrets: Secrets;
  leases: AccountLeases;
  quotas: Quotas;
  rateLimits: Pick<RateLimits, 'of'>;
  widgets: AccountWidgets;
  /** Keeps record of who signed in. */
  signInTrail: SignInRecord;
  config: Config;
  log: Logger;
}

/** Builds what there is of members: who they are, how they sign in, and what stands for them. */
export const createMembers = (parts: Parts) => {
  const { config, leases, log, models, quotas, rateLimits, secrets, signInTrail, widgets, writes } = parts;
  const signIns = new SignInLimits(
    { byNameAndAddress: rateLimits.of('wrong-passwords'), byName: rateLimits.of('wrong-passwords-name') },
    new KnownAddresses(models.knownAddresses, secrets),
  );
  const knownDevices = new KnownDevices(secrets);
  const store = new MemberStore(models, writes, secrets);
  const memberSessions = new MemberSessions(models.memberSessions, writes, store);
  const credentials = new Credentials(store, memberSessions, secrets);
  const programTokens = new ProgramTokens(models.tokens, writes, store, quotas, secrets);
  credentials.onEnd((member) => programTokens.deleteAllOf(member));
  const currentAvatars = new CurrentAvatars(models);
  const avatars = new Avatars(models.avatars, store, currentAvatars);
  credentials.onEnd((member) => avatars.deleteAllOf(member));
  const secondFactor = new SecondFactor(store, secrets);
  const lastSeen = new LastSeen(models, log);
  const signIn = new SignIn(store, signIns, knownDevices, secondFactor, memberSessions, signInTrail);
  const names = new UniqueNames([models.accounts, models.members], leases);
  const succession = new OwnerSuccession(models, writes.tombstones, store, secrets);
  const acceptance = new InvitationAcceptance({ models, store, names, secrets });
  const members = new MembersService({
    models,
    store,
    credentials,
    quotas,
    leases,
    succession,
    widgets,
    secrets,
  });
  const passwordResets = new PasswordResets({ resets: models.passwordResets, store, credentials, secrets });
  credentials.onEnd((member) => passwordResets.deleteAllOf(member));
  const oidc = createOidc({ acceptance, claims: models.registrationClaims, config, log, store });
  return {
    services: {
      acceptance,
      avatars,
      credentials,
      currentAvatars,
      lastSeen,
      members,
      memberSessions,
      oidc,
      passwordResets,
      programTokens,
      secondFactor,
      signIn,
      welcomeLinks: new WelcomeLinks(store, signIn),
    },
    names,
    store,
    /** What mails to members are made of. */
    mailed: {
      invited: members.invited.bind(members),
      active: async (account: string, uuid: string) => (await store.active(account, uuid))?.member,
      issueReset: passwordResets.issue.bind(passwordResets),
    },
  };
};
