import type { Connection } from 'mongoose';
import { accountModel } from './accounts/accounts.model.ts';
import { knownAddressModel } from './accounts/known-addresses.ts';
import { registrationClaimModel } from './accounts/registration.model.ts';
import { agentModels } from './agent/create-agent.ts';
import { keyRecordModel } from './database/key-record.ts';
import { idempotencyModel } from './http/idempotency.model.ts';
import { keywordModel, notificationModel } from './keywords/keywords.model.ts';
import { leadModel } from './leads/leads.model.ts';
import { mailModel } from './mail/mails.model.ts';
import { messageModel } from './messages/messages.model.ts';
import { tombstoneModel } from './outbox/tombstones.model.ts';
import { realtimeModels } from './realtime/create-realtime.ts';
import { pendingDeletionModel } from './rooms/room-deletion.model.ts';
import { roomModel } from './rooms/rooms.model.ts';
import { visitorSessionModel } from './visitors/sessions.model.ts';
import { webhookModels } from './webhooks/create-webhooks.ts';
import { widgetModel } from './widgets/widgets.model.ts';

/** Every collection but that of the rate limits, which their store keeps. What is in each: database/data-map.ts. */
export const createModels = (connection: Connection) => ({
  accounts: accountModel(connection),
  idempotency: idempotencyModel(connection),
  keywords: keywordModel(connection),
  knownAddresses: knownAddressModel(connection),
  leads: leadModel(connection),
  mails: mailModel(connection),
  messages: messageModel(connection),
  notifications: notificationModel(connection),
  roomDeletions: pendingDeletionModel(connection),
  registrationClaims: registrationClaimModel(connection),
  rooms: roomModel(connection),
  secretKeys: keyRecordModel(connection),
  sessions: visitorSessionModel(connection),
  tombstones: tombstoneModel(connection),
  widgets: widgetModel(connection),
  ...webhookModels(connection),
  ...realtimeModels(connection),
  ...agentModels(connection),
});

export type Models = ReturnType<typeof createModels>;

/** The collections whose documents carry events until those are announced, by their names in metrics. */
export const outboxOf = (models: Models) => ({
  rooms: models.rooms,
  messages: models.messages,
  leads: models.leads,
  notifications: models.notifications,
  read_marks: models.readMarks,
  tombstones: models.tombstones,
});
