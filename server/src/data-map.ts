import { NewWidget } from '@parlor/shared';
import type { Model } from 'mongoose';
import {
  type CollectionData,
  collectionOf,
  type MappedCollection,
  NEWEST_FIRST,
} from './database/collection-data.ts';
import { made, ownUuid } from './database/stored-shapes.ts';
import { memberShapes } from './features/accounts/member-fields.ts';
import { agentData } from './features/agent/agent-data.ts';
import { AUDIT_SHAPES, KEPT_FOR_S } from './features/audit/audit.model.ts';
import { inboxData } from './features/inbox/inbox-data.ts';
import { KEYWORD_SHAPES, NOTIFICATION_SHAPES } from './features/keywords/keywords.model.ts';
import { LEAD_SHAPES } from './features/leads/leads.model.ts';
import { mailsData } from './features/mail/mails-data.ts';
import { membersData } from './features/members/members-data.ts';
import { MESSAGE_SHAPES } from './features/messages/messages.model.ts';
import { realtimeData } from './features/realtime/realtime-data.ts';
import { ROOM_SHAPES } from './features/rooms/rooms.model.ts';
import { searchData } from './features/search/search-data.ts';
import { SESSION_SHAPES } from './features/visitors/sessions.model.ts';
import { webhooksData } from './features/webhooks/webhooks-data.ts';
import { KEPT_FOR_S as SIGHTINGS_KEPT_FOR_S } from './features/widgets/sightings.model.ts';
import { WIDGET_TOKEN } from './features/widgets/widgets.model.ts';
import { jobsData } from './jobs/jobs-data.ts';
import type { Models } from './models.ts';

type DocumentOf<M> = M extends Model<infer T> ? T : never;

const of = <Name extends keyof Models>() => collectionOf<DocumentOf<Models[Name]>>();

/** What a message that a bot's turn has made holds of words (features/rooms/bot-state.ts). */
const BY_THE_BOT = ['nickname', 'email', 'phone_number', 'body', 'support_answer'] as const;

/**
 * The map of data: what each collection holds, whose it is and how long it stays. The deletion of accounts, their
 * export and import, and the erasure of visitors follow from it. What others refer to comes first, and what follows from
 * others after them, as a copy beside a running server needs it (features/accounts/account-objects.ts).
 */
export const DATA_MAP: { [Name in keyof Models]: CollectionData<DocumentOf<Models[Name]>> } = {
  accounts: of<'accounts'>()({
    owner: { by: '_id' },
    kept: 'until deleted',
    fields: {
      plain: [
        '_id',
        'founder',
        'created_at',
        'email_confirmed_at',
        'requires_totp',
        'is_demo',
        'deleted_at',
        'emptied_at',
        'owner_turn',
        'avatar',
        'is_away',
        'seen_at',
        'session_epoch',
        'kept_session',
        'totp_pending_at',
        'totp_step',
        'version',
      ],
      owner: ['username', 'email', 'username_key', 'email_key', 'name', 'events'],
      hashed: ['password', 'recovery_hashes'],
      sealed: ['token_sealed', 'totp_sealed', 'totp_pending_sealed'],
      keyed: ['token_fingerprint'],
    },
    absent: [
      ...(['password', 'session_epoch', 'kept_session', 'name', 'avatar', 'is_away', 'seen_at'] as const),
      ...(['totp_sealed', 'totp_pending_sealed', 'totp_pending_at', 'totp_step', 'recovery_hashes'] as const),
      'version',
      ...(['founder', 'owner_turn', 'email_confirmed_at', 'requires_totp', 'is_demo'] as const),
      ...(['deleted_at', 'emptied_at'] as const),
    ],
    nullable: ['email_confirmed_at'],
    shapes: { ...memberShapes, founder: ownUuid() },
  }),
  // Before all others of an account, which are deleted in the opposite order: as long as there is something it says so.
  unfinishedImports: of<'unfinishedImports'>()({
    owner: { by: '_id' },
    kept: 'while at work',
    fields: { plain: ['_id', 'run', 'seen_at'] },
  }),
  ...membersData,
  widgets: of<'widgets'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    fields: {
      plain: ['_id', 'account', 'created_at', 'is_localized', 'version', 'token'],
      owner: [
        'events',
        ...(['name', 'domain', 'greeting_message', 'contact_message', 'color', 'popup_timeout'] as const),
        ...(['header_title', 'header_subtitle', 'chat_subtitle', 'start_button_caption'] as const),
        ...(['name_placeholder', 'email_placeholder', 'phone_placeholder', 'message_placeholder'] as const),
        ...(['is_ask_name', 'is_ask_email', 'is_ask_phone', 'logo_large', 'bot_avatar'] as const),
        ...(['bot_message_position', 'is_show_bot_avatar', 'use_new_button', 'is_bot_use'] as const),
        ...(['vertical_align', 'horizontal_align'] as const),
      ],
    },
    absent: ['is_localized'],
    shapes: { ...NewWidget.shape, token: made(WIDGET_TOKEN) },
  }),
  ...agentData,
  keywords: of<'keywords'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    fields: { plain: ['_id', 'account', 'created_at'], owner: ['keyword', 'folded', 'events'] },
    shapes: KEYWORD_SHAPES,
  }),
  rooms: of<'rooms'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    erased: { by: '_id', how: 'separately' },
    fields: {
      plain: ['_id', 'account', 'widget', 'label', 'is_bot_use', 'created_at', 'version'],
      visitor: ['name', 'rating', 'bot', 'events'],
    },
    words: [
      ...(['label', 'bot.node', 'bot.variables', 'bot.last.messages.text'] as const),
      ...BY_THE_BOT.map((name) => `bot.pending.messages.${name}` as const),
      ...BY_THE_BOT.map((name) => `bot.pending.messages.events.data.${name}` as const),
      'bot.pending.messages.events.data.room.label',
      ...(['nickname', 'email', 'phone_number'] as const).map(
        (name) => `bot.pending.leads.fields.${name}` as const,
      ),
      'bot.pending.answers.text',
    ],
    // By it, and the public key, one speaks as the visitor.
    opens: ['bot.conversation'],
    absent: ['widget', 'bot'],
    nullable: ['rating'],
    shapes: ROOM_SHAPES,
  }),
  messages: of<'messages'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: { sent_at: -1, _id: -1 },
    needs: { room: 'rooms' },
    erased: { by: 'room', how: 'buried', madeAt: 'sent_at' },
    fields: {
      plain: [
        ...(['_id', 'account', 'room', 'widget', 'is_support_sender', 'is_bot', 'sent_at'] as const),
        ...(['answer_due', 'room_made_at'] as const),
      ],
      visitor: ['nickname', 'email', 'phone_number', 'body', 'support_answer', 'events'],
      owner: ['author'],
      address: ['asked_from'],
    },
    words: ['author.name'],
    absent: ['widget', 'author', 'answer_due', 'asked_from', 'room_made_at', 'support_answer'],
    shapes: MESSAGE_SHAPES,
  }),
  leads: of<'leads'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    erased: { by: 'room', how: 'separately' },
    fields: {
      plain: ['_id', 'account', 'widget', 'room', 'created_at', 'version'],
      visitor: ['nickname', 'email', 'phone_number', 'device', 'from_page_title', 'referrer', 'events'],
    },
    absent: ['room'],
    shapes: LEAD_SHAPES,
  }),
  ...inboxData,
  notifications: of<'notifications'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    needs: { room: 'rooms' },
    erased: { by: 'room', how: 'buried', madeAt: 'created_at', eventAt: 'event_at' },
    fields: {
      plain: ['_id', 'account', 'room', 'messages', 'keyword_count', 'created_at', 'event_at', 'sent_at'],
      visitor: ['customer_request', 'nickname', 'email', 'transcripts', 'events'],
      owner: ['keywords'],
    },
    words: ['transcripts.nickname', 'transcripts.body'],
    absent: ['event_at', 'messages', 'keyword_count', 'customer_request', 'nickname', 'email', 'transcripts'],
    nullable: ['sent_at'],
    shapes: NOTIFICATION_SHAPES,
  }),
  ...webhooksData,
  sessions: of<'sessions'>()({
    owner: { by: 'widget', via: 'widgets' },
    kept: { after: 'expires_at', seconds: 0 },
    copied: { widget: 1 },
    needs: { widget: 'widgets' },
    erased: { by: 'room', how: 'redacted' },
    fields: {
      plain: ['_id', 'account', 'widget', 'room', 'label', 'created_at', 'expires_at', 'closed_at'],
      visitor: ['page', 'locale', 'device'],
    },
    words: ['label', 'page.url', 'page.title', 'page.referrer'],
    absent: ['closed_at'],
    shapes: SESSION_SHAPES,
  }),
  audit: of<'audit'>()({
    owner: { by: 'account' },
    kept: { after: 'at', seconds: KEPT_FOR_S },
    copied: { at: -1, _id: -1 },
    fields: {
      plain: ['_id', 'account', 'at', 'last_at', 'count', 'action'],
      owner: ['actor', 'object', 'changes'],
      address: ['address'],
    },
    words: ['actor.name', 'actor.token', 'object.label', 'changes.from', 'changes.to'],
    nullable: ['address'],
    shapes: AUDIT_SHAPES,
  }),
  // From here on nothing is worth copying: claims, counts and work of this server, and what was not sent yet.
  drafts: of<'drafts'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    erased: { by: 'room', how: 'deleted', madeAt: 'updated_at' },
    fields: {
      plain: ['_id', 'account', 'room', 'member', 'is_note', 'updated_at', 'version'],
      owner: ['body'],
    },
  }),
  idempotency: of<'idempotency'>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    erased: { by: 'subject', how: 'deleted', madeAt: 'subject_at' },
    fields: {
      plain: [
        ...(['_id', 'account', 'object', 'subject', 'subject_at', 'owner', 'leased_until'] as const),
        ...(['is_gone', 'expires_at'] as const),
      ],
      visitor: ['request', 'answer'],
    },
  }),
  ...mailsData,
  sightings: of<'sightings'>()({
    owner: { by: 'account' },
    kept: { after: 'last_seen_at', seconds: SIGHTINGS_KEPT_FOR_S },
    fields: { plain: ['_id', 'account', 'widget', 'first_seen_at', 'last_seen_at'], owner: ['origin'] },
  }),
  emailConfirmations: of<'emailConfirmations'>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    fields: { plain: ['account', 'expires_at'], owner: ['email_key'], hashed: ['_id'] },
  }),
  knownAddresses: of<'knownAddresses'>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    fields: { plain: ['_id', 'account', 'expires_at'] },
  }),
  registrationClaims: of<'registrationClaims'>()({
    owner: 'server',
    kept: { after: 'expires_at', seconds: 0 },
    fields: { plain: ['_id', 'expires_at'] },
  }),
  secretKeys: of<'secretKeys'>()({
    owner: 'server',
    kept: 'until deleted',
    fields: { plain: ['_id', 'fingerprints', 'rotating_to', 'damaged', 'starts', 'started'] },
  }),
  tombstones: of<'tombstones'>()({
    owner: 'server',
    kept: 'while at work',
    erased: { by: 'subject', how: 'announced' },
    fields: { plain: ['_id', 'subject', 'made_at'], visitor: ['events'], owner: ['deletion'] },
  }),
  roomDeletions: of<'roomDeletions'>()({
    owner: { by: 'account' },
    kept: 'while at work',
    fields: { plain: ['_id', 'account', 'room', 'is_lead', 'begun_at', 'removed_at'] },
  }),
  ...realtimeData,
  ...searchData,
  ...jobsData,
  usage: of<'usage'>()({
    owner: { by: '_id', isPrefix: true },
    kept: { after: 'expires_at', seconds: 0 },
    // Of a budget of an address its keyed hash stands in the id (http/asked-from.ts).
    fields: { plain: ['used', 'expires_at', 'open'], address: ['_id'] },
  }),
};

/**
 * Collections that are kept by others than this code. `ratelimits`: counts for a day at most, by address, token or
 * username (rate-limiter-flexible); `copy_under_way`: the name of a copy's source; `readiness`: when a server last
 * asked whether the database takes writes.
 */
export const OTHER_COLLECTIONS: readonly string[] = ['ratelimits', 'copy_under_way', 'readiness'];

/** Every collection with what the map says of it, in the order of the map. */
export const mapCollections = (models: Models): MappedCollection[] =>
  (Object.keys(DATA_MAP) as (keyof Models)[]).map((name) => ({
    name,
    model: models[name] as unknown as MappedCollection['model'],
    data: DATA_MAP[name] as unknown as MappedCollection['data'],
  }));
