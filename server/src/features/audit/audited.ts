/**
 * Every operation that changes something, and whether it leaves an entry in the audit trail: what changes settings,
 * people and credentials, and what deletes. What is said, and what visitors do, does not. A test names an operation
 * that stands here not.
 */
export const AUDITED = {
  register: true,
  obtainToken: true,
  requestConfirmationMail: false,
  startSession: true,
  startSessionByLink: true,
  finishOidcByCode: true,
  endSession: true,
  endOtherSession: true,
  changeAccount: true,
  // Its trail goes with it.
  deleteAccount: false,
  changePassword: true,
  requestPasswordReset: false,
  confirmPasswordReset: true,
  beginTotp: false,
  confirmTotp: true,
  disableTotp: true,
  createToken: true,
  deleteToken: true,

  inviteMember: true,
  changeOwnMember: true,
  changeMember: true,
  removeMember: true,
  putOwnAvatar: true,
  deleteOwnAvatar: true,
  deleteAvatar: true,
  acceptInvitation: true,

  createRoom: false,
  updateRoom: false,
  changeRoom: false,
  deleteRoom: true,
  createMessage: false,
  changeConversations: false,
  changeConversation: false,
  createNote: false,
  changeNote: false,
  deleteNote: false,
  putDraft: false,
  deleteDraft: false,
  createLead: false,
  updateLead: false,
  changeLead: false,
  deleteLead: true,

  createReply: true,
  changeReply: true,
  deleteReply: true,

  createKeyword: true,
  deleteKeyword: true,
  createWebhook: true,
  updateWebhook: true,
  changeWebhook: true,
  deleteWebhook: true,
  rotateWebhookSecret: true,
  redeliver: false,
  redeliverOfWebhook: false,
  testWebhook: false,
  createWidget: true,
  updateWidget: true,
  changeWidget: true,
  deleteWidget: true,
  openSession: false,
  eraseSession: true,
  createWorkflow: true,
  updateWorkflow: true,
  changeWorkflow: true,
  deleteWorkflow: true,
  rotateWorkflowKey: true,
  testWorkflow: false,

  startConversation: false,
  continueConversation: false,
} as const satisfies Record<string, boolean>;

/**
 * What is no operation that changes something by its method, or none of its own: a copy of the account, a sign-in at a
 * provider, one that failed, a new token with a sign-in, an invitation that ends with another one or with what its sender may,
 * and what the server does by itself.
 */
const OTHERS = [
  'exportAccount',
  'finishOidc',
  'failedSignIn',
  'resetToken',
  'withdrawInvitation',
  'unsubscribeWebhook',
] as const;

/** The commands of `npm run parlor --` that change an account, or read all of it or what opens it. */
const COMMANDS = [
  'account create',
  'account confirm',
  'account token',
  'account reset-password',
  'member role',
  'member sign-out',
  'member reset-totp',
  'export',
  'import',
] as const;

type AuditedOperation = {
  [Id in keyof typeof AUDITED]: (typeof AUDITED)[Id] extends true ? Id : never;
}[keyof typeof AUDITED];

/** What entries name as their action. */
export const ACTIONS = [
  ...(Object.keys(AUDITED) as (keyof typeof AUDITED)[]).filter((id): id is AuditedOperation => AUDITED[id]),
  ...OTHERS,
  ...COMMANDS,
] as unknown as readonly [string, ...string[]];
