import type { Model } from 'mongoose';
import type { Logger } from 'pino';
import type { Relay } from '../../events/relay.ts';
import type { Tombstones } from '../../events/tombstones.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import type { Quotas } from '../accounts/quotas.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { LeadModel } from '../leads/leads.model.ts';
import type { MemberStore } from '../members/member-store.ts';
import type { MessageModel } from '../messages/messages.model.ts';
import type { Channel } from '../realtime/channel.ts';
import type { PresenceModel, PresenceProcessModel } from '../realtime/presence.model.ts';
import { PresenceStore } from '../realtime/presence-store.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import type { VisitorSessionModel } from '../visitors/sessions.model.ts';
import type { WidgetModel } from '../widgets/widgets.model.ts';
import { ConversationBackfill } from './backfill.ts';
import type { ConversationModel } from './conversation.model.ts';
import { InboxCounts } from './counts.ts';
import { CountsTeller } from './counts-teller.ts';
import { ConversationDetails } from './details.ts';
import type { DraftModel } from './drafts/draft.model.ts';
import { DraftsService } from './drafts/drafts.service.ts';
import { ConversationFollower } from './follow.ts';
import { InboxService } from './inbox.service.ts';
import { createMentionConsumer } from './notes/mentions.ts';
import type { NoteModel } from './notes/note.model.ts';
import { NotesService } from './notes/notes.service.ts';
import { type ReleaseModel, Releases } from './releases.ts';
import { RepliesService } from './replies/replies.service.ts';
import type { ReplyModel } from './replies/reply.model.ts';
import { ConversationStatisticsService } from './statistics.ts';
import { TagNames, type TagNamesOf } from './tag-names.ts';
import type { ConversationEventModel } from './timeline/conversation-event.model.ts';
import { createRecorder } from './timeline/record.ts';
import { TimelineService } from './timeline/timeline.service.ts';
import { SnoozeWaker } from './wake.ts';

interface InboxModels {
  accounts: AccountModel;
  inbox: ConversationModel;
  tagNames: Model<TagNamesOf>;
  replies: ReplyModel;
  notes: NoteModel;
  drafts: DraftModel;
  conversationEvents: ConversationEventModel;
  releases: ReleaseModel;
  rooms: RoomModel;
  messages: MessageModel;
  leads: LeadModel;
  sessions: VisitorSessionModel;
  widgets: WidgetModel;
  presence: PresenceModel;
  presenceProcesses: PresenceProcessModel;
}

/** Builds how members work on conversations. Nothing runs by itself before `start`. */
export const createInbox = ({
  models,
  store: members,
  quotas,
  relay,
  tombstones,
  channel,
  unfinishedImports,
  log,
}: {
  models: InboxModels;
  store: Pick<MemberStore, 'of'>;
  quotas: Pick<Quotas, 'within'>;
  relay: Relay;
  tombstones: Tombstones;
  channel: Channel;
  unfinishedImports: Pick<UnfinishedImports, 'without'>;
  log: Logger;
}) => {
  const { inbox: conversations, rooms, messages, leads, sessions } = models;
  const presences = new PresenceStore(models.presence, models.presenceProcesses);
  const follower = new ConversationFollower({ conversations, rooms, messages, members, relay });
  const details = new ConversationDetails({ rooms, messages, leads, sessions, presences });
  const tagNames = new TagNames(models.tagNames);
  const inboxCounts = new InboxCounts(conversations, models.widgets, tagNames);
  const countsTeller = new CountsTeller(channel, inboxCounts, log);
  const releases = new Releases({
    accounts: models.accounts,
    conversations,
    releases: models.releases,
    relay,
    log,
  });
  const inbox = new InboxService({
    conversations,
    rooms,
    details,
    follower,
    members,
    releases,
    tagNames,
    relay,
  });
  return {
    follower,
    tagNames,
    inbox,
    releases,
    notes: new NotesService({ notes: models.notes, inbox, members, relay, tombstones }),
    consumeMentions: createMentionConsumer({ conversations, follower, relay, inbox }),
    timeline: new TimelineService({ ...models, conversations, inbox }),
    recordEvents: createRecorder({ events: models.conversationEvents, rooms }),
    drafts: new DraftsService(models.drafts, inbox, members),
    replies: new RepliesService({
      replies: models.replies,
      outbox: { relay, tombstones },
      members,
      quotas,
    }),
    inboxCounts,
    countsTeller,
    conversationStatistics: new ConversationStatisticsService(conversations),
    waker: new SnoozeWaker(conversations, relay, unfinishedImports, log),
    backfill: new ConversationBackfill(models, follower, unfinishedImports, log),
  };
};
