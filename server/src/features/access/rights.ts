import type { Role } from '@parlor/shared';

const OWNER: readonly Role[] = ['owner'];
const ADMINS: readonly Role[] = ['owner', 'admin'];
const EVERYBODY: readonly Role[] = ['owner', 'admin', 'operator'];

/**
 * Who may do what: which roles may call each operation that takes a member's credential. Nothing else decides it; a
 * route without a row is refused to everybody, and a test names it.
 */
export const RIGHTS: Readonly<Record<string, readonly Role[]>> = {
  requestConfirmationMail: OWNER,

  retrieveSession: EVERYBODY,
  endSession: EVERYBODY,
  listSessions: EVERYBODY,
  endOtherSession: EVERYBODY,
  changePassword: EVERYBODY,
  beginTotp: EVERYBODY,
  confirmTotp: EVERYBODY,
  disableTotp: EVERYBODY,

  listMembers: EVERYBODY,
  inviteMember: ADMINS,
  retrieveOwnMember: EVERYBODY,
  changeOwnMember: EVERYBODY,
  retrieveMember: EVERYBODY,
  changeMember: ADMINS,
  removeMember: ADMINS,

  listRooms: EVERYBODY,
  createRoom: EVERYBODY,
  retrieveRoom: EVERYBODY,
  updateRoom: EVERYBODY,
  changeRoom: EVERYBODY,
  deleteRoom: ADMINS,
  listMessages: EVERYBODY,
  createMessage: EVERYBODY,
  retrieveMessage: EVERYBODY,

  listLeads: EVERYBODY,
  countLeads: EVERYBODY,
  createLead: ADMINS,
  retrieveLead: EVERYBODY,
  updateLead: EVERYBODY,
  changeLead: EVERYBODY,
  deleteLead: ADMINS,

  listKeywordNotifications: ADMINS,
  listKeywords: ADMINS,
  createKeyword: ADMINS,
  retrieveKeyword: ADMINS,
  deleteKeyword: ADMINS,

  listWebhooks: ADMINS,
  createWebhook: ADMINS,
  retrieveWebhook: ADMINS,
  updateWebhook: ADMINS,
  changeWebhook: ADMINS,
  deleteWebhook: ADMINS,
  retrieveWebhookSecret: ADMINS,
  rotateWebhookSecret: ADMINS,
  listDeliveries: ADMINS,
  retrieveDelivery: ADMINS,
  listDeliveriesOfWebhook: ADMINS,
  redeliver: ADMINS,
  redeliverOfWebhook: ADMINS,
  testWebhook: ADMINS,

  // Whoever answers has to know which site a visitor is on.
  retrieveWidget: EVERYBODY,
  createWidget: ADMINS,
  updateWidget: ADMINS,
  changeWidget: ADMINS,
  deleteWidget: ADMINS,

  listWorkflows: ADMINS,
  createWorkflow: ADMINS,
  retrieveWorkflow: ADMINS,
  updateWorkflow: ADMINS,
  changeWorkflow: ADMINS,
  deleteWorkflow: ADMINS,
  rotateWorkflowKey: ADMINS,
};

/** Whether a role may call an operation. */
export const mayCall = (role: Role, operation: string): boolean => RIGHTS[operation]?.includes(role) ?? false;
