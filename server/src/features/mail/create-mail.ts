import type { KeywordNotification } from '@parlor/shared';
import type { Logger } from 'pino';
import { type Config, isOnlyProcess } from '../../platform/config.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import { MAIL_TIMEOUT, Mailer } from './mailer.ts';
import type { MailModel } from './mails.model.ts';
import { createSmtp, senderAddress } from './smtp.ts';

/** What mails keyword notifications; undefined where no SMTP_URL is set. Nothing is sent before `start()`. */
export const createMailer = ({
  models,
  config,
  notificationsOf,
  onSent,
  log,
}: {
  models: { mails: MailModel; accounts: AccountModel };
  config: Config;
  notificationsOf(account: string, uuids: readonly string[]): Promise<KeywordNotification[]>;
  onSent(notification: string, at: Date): Promise<void>;
  log: Logger;
}): Mailer | undefined => {
  if (config.SMTP_URL === '') return undefined;
  const send = createSmtp({ url: config.SMTP_URL, from: senderAddress(config), timeout: MAIL_TIMEOUT });
  return new Mailer(
    { ...models, send, notificationsOf, onSent, log },
    { delays: config.WEBHOOK_RETRY_DELAYS, isOnlyProcess: isOnlyProcess(config) },
  );
};
