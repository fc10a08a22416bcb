import type { Logger } from 'pino';
import type { Budgets } from '../../database/budgets.ts';
import type { OriginLeases } from '../../jobs/origin-leases.ts';
import { type Config, isOnlyProcess } from '../../platform/config.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import type { EmailConfirmations } from '../accounts/email-confirmations.ts';
import type { MemberStore } from '../members/member-store.ts';
import { ConfirmationMails } from './confirmation-mails.ts';
import { ConfirmationRequests } from './confirmation-requests.ts';
import { Digests, type NotificationsForMail } from './digests.ts';
import { MailBudgets } from './mail-budgets.ts';
import { MailQueue } from './mail-queue.ts';
import { MAIL_TIMEOUT_MS, Mailer } from './mailer.ts';
import type { MailModel } from './mails.model.ts';
import { MemberMailRequests } from './member-mail-requests.ts';
import { invitationMails, type MembersForMail, passwordResetMails } from './member-mails.ts';
import type { OutgoingMailModel } from './outgoing-mails.model.ts';
import { createSmtp, senderAddress } from './smtp.ts';

interface Parts {
  models: { mails: MailModel; outgoingMails: OutgoingMailModel; accounts: AccountModel };
  leases: OriginLeases;
  budgets: Pick<Budgets, 'take'>;
  secrets: Pick<Secrets, 'fingerprint'>;
  config: Config;
  notifications: NotificationsForMail;
  confirmations: Pick<EmailConfirmations, 'issue'>;
  members: MembersForMail;
  log: Logger;
}

/** What mails; undefined where no SMTP_URL is set. Nothing is sent before `start()`. */
export const createMail = (parts: Parts) => {
  const { models, leases, budgets, secrets, config, notifications, confirmations, members, log } = parts;
  if (config.SMTP_URL === '') return undefined;
  const queue = new MailQueue(models.outgoingMails);
  const digests = new Digests({ ...models, queue, notifications }, config.MAIL_DIGEST_WINDOW);
  const mailer = new Mailer(
    {
      queue,
      kinds: {
        digest: digests,
        confirmation: new ConfirmationMails(confirmations),
        invitation: invitationMails(members),
        'password-reset': passwordResetMails(members),
      },
      budgets: new MailBudgets(
        budgets,
        secrets,
        {
          account: config.MAILS_PER_DAY,
          server: config.MAILS_PER_HOUR_TOTAL,
          confirmations: config.CONFIRMATION_MAILS_PER_HOUR,
        },
        log,
      ),
      accounts: models.accounts,
      leases,
      send: createSmtp({ url: config.SMTP_URL, from: senderAddress(config), timeout: MAIL_TIMEOUT_MS }),
      log,
    },
    {
      origin: originOf(config.SMTP_URL),
      delays: config.WEBHOOK_RETRY_DELAYS,
      isOnlyProcess: isOnlyProcess(config),
    },
  );
  return { mailer, digests, queue };
};

/** What asks for mails; where `queue` is undefined none is sent. */
export const createMailRequests = ({
  models: { accounts },
  queue,
  store,
  budgets,
  secrets,
  log,
}: Pick<Parts, 'models' | 'budgets' | 'secrets' | 'log'> & {
  queue: MailQueue | undefined;
  store: MemberStore;
}) => ({
  confirmationRequests: new ConfirmationRequests(queue),
  memberMails: new MemberMailRequests({ queue, accounts, store, budgets, secrets, log }),
});

/** Scheme, host and port, without user and password. */
const originOf = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};
