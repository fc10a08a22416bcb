import type { EventName, Role, Scope } from '@parlor/shared';
import type { AccountPrincipal } from '../members/principal.ts';

const OWNER: readonly Role[] = ['owner'];
const ADMINS: readonly Role[] = ['owner', 'admin'];
const EVERYBODY: readonly Role[] = ['owner', 'admin', 'operator'];

/** The rows of the live channel, which is no operation of the OpenAPI document: to be told there, and to say something. */
export const LIVE_CHANNEL = 'openLiveChannel';
export const LIVE_CHANNEL_WRITES = 'writeOnLiveChannel';

/** Only for whoever is not restricted to some widgets: what it makes belongs to none. */
const ALL_WIDGETS = 'all widgets';

/** The roles that may call an operation, and the scope that a program needs besides; null: programs may not. */
type Right = readonly [roles: readonly Role[], scope: Scope | null, sees?: typeof ALL_WIDGETS];

/**
 * Who may do what: a row for each operation that takes a member's credential. Nothing else decides it; a route without a
 * row is refused to everybody, and a test names it.
 */
export const RIGHTS: Readonly<Record<string, Right>> = {
  [LIVE_CHANNEL]: [EVERYBODY, 'conversations:read'],
  [LIVE_CHANNEL_WRITES]: [EVERYBODY, 'conversations:write'],
  requestConfirmationMail: [OWNER, null],

  retrieveSession: [EVERYBODY, null],
  endSession: [EVERYBODY, null],
  listSessions: [EVERYBODY, null],
  endOtherSession: [EVERYBODY, null],
  changePassword: [EVERYBODY, null],
  beginTotp: [EVERYBODY, null],
  confirmTotp: [EVERYBODY, null],
  disableTotp: [EVERYBODY, null],
  retrieveAccount: [EVERYBODY, 'members:read'],
  changeAccount: [OWNER, null],
  exportAccount: [OWNER, null],
  deleteAccount: [OWNER, null],

  listTokens: [EVERYBODY, null],
  createToken: [EVERYBODY, null],
  deleteToken: [EVERYBODY, null],

  listMembers: [EVERYBODY, 'members:read'],
  inviteMember: [ADMINS, null],
  retrieveOwnMember: [EVERYBODY, 'members:read'],
  changeOwnMember: [EVERYBODY, null],
  retrieveMember: [EVERYBODY, 'members:read'],
  changeMember: [ADMINS, null],
  removeMember: [ADMINS, null],
  putOwnAvatar: [EVERYBODY, null],
  deleteOwnAvatar: [EVERYBODY, null],
  deleteAvatar: [ADMINS, null],

  listAudit: [ADMINS, 'audit:read'],

  listRooms: [EVERYBODY, 'conversations:read'],
  createRoom: [EVERYBODY, 'conversations:write', ALL_WIDGETS],
  retrieveRoom: [EVERYBODY, 'conversations:read'],
  updateRoom: [EVERYBODY, 'conversations:write'],
  changeRoom: [EVERYBODY, 'conversations:write'],
  deleteRoom: [ADMINS, 'conversations:write'],
  listMessages: [EVERYBODY, 'conversations:read'],
  createMessage: [EVERYBODY, 'conversations:write'],
  retrieveMessage: [EVERYBODY, 'conversations:read'],

  listConversations: [EVERYBODY, 'conversations:read'],
  countConversations: [EVERYBODY, 'conversations:read'],
  summarizeConversations: [EVERYBODY, 'conversations:read'],
  listTags: [EVERYBODY, 'conversations:read'],
  changeConversations: [EVERYBODY, 'conversations:write'],
  retrieveConversation: [EVERYBODY, 'conversations:read'],
  changeConversation: [EVERYBODY, 'conversations:write'],
  readTimeline: [EVERYBODY, 'conversations:read'],
  createNote: [EVERYBODY, 'conversations:write'],
  retrieveNote: [EVERYBODY, 'conversations:read'],
  changeNote: [EVERYBODY, 'conversations:write'],
  deleteNote: [EVERYBODY, 'conversations:write'],
  // What a member has not sent yet is nobody else's.
  retrieveDraft: [EVERYBODY, null],
  putDraft: [EVERYBODY, null],
  deleteDraft: [EVERYBODY, null],
  search: [EVERYBODY, 'conversations:read'],

  listReplies: [EVERYBODY, 'conversations:read'],
  createReply: [EVERYBODY, 'conversations:write'],
  retrieveReply: [EVERYBODY, 'conversations:read'],
  changeReply: [EVERYBODY, 'conversations:write'],
  deleteReply: [EVERYBODY, 'conversations:write'],

  listLeads: [EVERYBODY, 'leads:read'],
  countLeads: [EVERYBODY, 'leads:read'],
  createLead: [ADMINS, 'leads:write'],
  retrieveLead: [EVERYBODY, 'leads:read'],
  updateLead: [EVERYBODY, 'leads:write'],
  changeLead: [EVERYBODY, 'leads:write'],
  deleteLead: [ADMINS, 'leads:write'],

  listKeywordNotifications: [ADMINS, 'keywords:read'],
  listKeywords: [ADMINS, 'keywords:read'],
  createKeyword: [ADMINS, 'keywords:write'],
  retrieveKeyword: [ADMINS, 'keywords:read'],
  deleteKeyword: [ADMINS, 'keywords:write'],

  listWebhooks: [ADMINS, 'webhooks:read'],
  createWebhook: [ADMINS, 'webhooks:write'],
  retrieveWebhook: [ADMINS, 'webhooks:read'],
  updateWebhook: [ADMINS, 'webhooks:write'],
  changeWebhook: [ADMINS, 'webhooks:write'],
  deleteWebhook: [ADMINS, 'webhooks:write'],
  retrieveWebhookSecret: [ADMINS, 'webhooks:write'],
  rotateWebhookSecret: [ADMINS, 'webhooks:write'],
  listDeliveries: [ADMINS, 'webhooks:read'],
  retrieveDelivery: [ADMINS, 'webhooks:read'],
  retrieveDeliveryBody: [ADMINS, 'webhooks:read', ALL_WIDGETS],
  listDeliveriesOfWebhook: [ADMINS, 'webhooks:read'],
  redeliver: [ADMINS, 'webhooks:write'],
  redeliverOfWebhook: [ADMINS, 'webhooks:write'],
  testWebhook: [ADMINS, 'webhooks:write'],

  // Whoever answers has to know which site a visitor is on.
  retrieveWidget: [EVERYBODY, 'widgets:read'],
  retrieveOwnWidget: [EVERYBODY, 'widgets:read'],
  listSightings: [EVERYBODY, 'widgets:read'],
  createWidget: [ADMINS, 'widgets:write'],
  updateWidget: [ADMINS, 'widgets:write'],
  changeWidget: [ADMINS, 'widgets:write'],
  deleteWidget: [ADMINS, 'widgets:write'],

  listWorkflows: [ADMINS, 'workflows:read'],
  createWorkflow: [ADMINS, 'workflows:write'],
  retrieveWorkflow: [ADMINS, 'workflows:read'],
  updateWorkflow: [ADMINS, 'workflows:write'],
  changeWorkflow: [ADMINS, 'workflows:write'],
  deleteWorkflow: [ADMINS, 'workflows:write'],
  rotateWorkflowKey: [ADMINS, 'workflows:write'],
  listWorkflowVersions: [ADMINS, 'workflows:read'],
  // It uses what the account may ask of a language model.
  testWorkflow: [ADMINS, 'workflows:write'],
  retrieveWorkflowVersion: [ADMINS, 'workflows:read'],
};

/** What shows the same as the data of an event: whoever may not call it gets nothing of that by a webhook either. */
const SHOWN_BY: Readonly<Record<EventName, string>> = {
  'chat.added': 'listRooms',
  'message.added': 'listMessages',
  'lead.added': 'listLeads',
  'lead.changed': 'listLeads',
  'keyword_notification.added': 'listKeywordNotifications',
  'conversation.updated': 'listConversations',
};

/** What a session does of a member who has to set up a second factor first. */
export const SETTING_UP: ReadonlySet<string> = new Set([
  'retrieveSession',
  'endSession',
  'retrieveAccount',
  'retrieveOwnMember',
  'beginTotp',
  'confirmTotp',
]);

/** Whether a member may call an operation; of its program also whether the scopes go so far. */
export const mayCall = (
  { member, program, view }: Pick<AccountPrincipal, 'member' | 'program' | 'view'>,
  operation: string,
): boolean => {
  const [roles, scope, sees] = RIGHTS[operation] ?? [[], null];
  if (!roles.includes(member.role) || (sees === ALL_WIDGETS && view.widgets)) return false;
  return program === undefined || (scope !== null && covers(program.scopes, scope));
};

/** Whoever may write may read. */
const covers = (scopes: readonly Scope[], wanted: Scope): boolean =>
  scopes.includes(wanted) || scopes.includes(wanted.replace(':read', ':write') as Scope);

/** The scope that a program lacks to read what an event tells; undefined for none. */
export const scopeMissingFor = (
  { program }: Pick<AccountPrincipal, 'program'>,
  event: EventName,
): Scope | undefined => {
  const [, scope] = RIGHTS[SHOWN_BY[event]] ?? [];
  return program && scope && !covers(program.scopes, scope) ? scope : undefined;
};
