import type { Connection } from 'mongoose';
import { usageModel } from './database/budgets.ts';
import { keyRecordModel } from './database/key-record.ts';
import { tombstoneModel } from './events/tombstones.model.ts';
import { accountModel } from './features/accounts/accounts.model.ts';
import { emailConfirmationModel } from './features/accounts/email-confirmations.ts';
import { knownAddressModel } from './features/accounts/known-addresses.ts';
import { registrationClaimModel } from './features/accounts/registration.model.ts';
import { unfinishedImportModel } from './features/accounts/unfinished-imports.model.ts';
import { agentModels } from './features/agent/create-agent.ts';
import { auditModel } from './features/audit/audit.model.ts';
import { pendingDeletionModel } from './features/erasure/room-deletion.model.ts';
import { conversationModel } from './features/inbox/conversation.model.ts';
import { draftModel } from './features/inbox/drafts/draft.model.ts';
import { noteModel } from './features/inbox/notes/note.model.ts';
import { releaseModel } from './features/inbox/releases.ts';
import { replyModel } from './features/inbox/replies/reply.model.ts';
import { tagNamesModel } from './features/inbox/tag-names.ts';
import { conversationEventModel } from './features/inbox/timeline/conversation-event.model.ts';
import { keywordModel, notificationModel } from './features/keywords/keywords.model.ts';
import { leadModel } from './features/leads/leads.model.ts';
import { mailModel } from './features/mail/mails.model.ts';
import { outgoingMailModel } from './features/mail/outgoing-mails.model.ts';
import { avatarModel } from './features/members/avatars/avatar.model.ts';
import { memberSessionModel } from './features/members/member-sessions.ts';
import { memberModel } from './features/members/members.model.ts';
import { passwordResetModel } from './features/members/password-resets.ts';
import { programTokenModel } from './features/members/program-tokens.ts';
import { messageModel } from './features/messages/messages.model.ts';
import { realtimeModels } from './features/realtime/create-realtime.ts';
import { roomModel } from './features/rooms/rooms.model.ts';
import { searchModels } from './features/search/segments.model.ts';
import { visitorSessionModel } from './features/visitors/sessions.model.ts';
import { webhookModels } from './features/webhooks/create-webhooks.ts';
import { sightingModel } from './features/widgets/sightings.model.ts';
import { widgetModel } from './features/widgets/widgets.model.ts';
import { idempotencyModel } from './http/idempotency.model.ts';

/** Every collection but that of the rate limits, which their store keeps. What is in each: data-map.ts. */
export const createModels = (connection: Connection) => ({
  accounts: accountModel(connection),
  unfinishedImports: unfinishedImportModel(connection),
  inbox: conversationModel(connection),
  tagNames: tagNamesModel(connection),
  notes: noteModel(connection),
  drafts: draftModel(connection),
  conversationEvents: conversationEventModel(connection),
  releases: releaseModel(connection),
  avatars: avatarModel(connection),
  emailConfirmations: emailConfirmationModel(connection),
  idempotency: idempotencyModel(connection),
  keywords: keywordModel(connection),
  knownAddresses: knownAddressModel(connection),
  leads: leadModel(connection),
  mails: mailModel(connection),
  members: memberModel(connection),
  memberSessions: memberSessionModel(connection),
  messages: messageModel(connection),
  notifications: notificationModel(connection),
  passwordResets: passwordResetModel(connection),
  replies: replyModel(connection),
  tokens: programTokenModel(connection),
  outgoingMails: outgoingMailModel(connection),
  roomDeletions: pendingDeletionModel(connection),
  registrationClaims: registrationClaimModel(connection),
  rooms: roomModel(connection),
  secretKeys: keyRecordModel(connection),
  sessions: visitorSessionModel(connection),
  tombstones: tombstoneModel(connection),
  usage: usageModel(connection),
  widgets: widgetModel(connection),
  sightings: sightingModel(connection),
  audit: auditModel(connection),
  ...webhookModels(connection),
  ...realtimeModels(connection),
  ...agentModels(connection),
  ...searchModels(connection),
});

export type Models = ReturnType<typeof createModels>;

/** The collections whose documents carry events until those are announced, by their names in metrics. */
export const outboxOf = (models: Models) => ({
  rooms: models.rooms,
  messages: models.messages,
  leads: models.leads,
  conversations: models.inbox,
  notes: models.notes,
  notifications: models.notifications,
  read_marks: models.readMarks,
  widgets: models.widgets,
  webhooks: models.webhooks,
  keywords: models.keywords,
  workflows: models.workflows,
  replies: models.replies,
  accounts: models.accounts,
  members: models.members,
  tokens: models.tokens,
  tombstones: models.tombstones,
});
