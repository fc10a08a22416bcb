import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { ClockCheck } from './database/clock-check.ts';
import type { Database } from './database/connect.ts';
import { RoomWidgets } from './features/access/room-widgets.ts';
import { AccountDeletion } from './features/accounts/account-deletion.ts';
import { AccountDownloads } from './features/accounts/account-download.ts';
import { AccountLeases } from './features/accounts/account-leases.ts';
import { AccountsService } from './features/accounts/accounts.service.ts';
import { EmailConfirmations } from './features/accounts/email-confirmations.ts';
import { Quotas } from './features/accounts/quotas.ts';
import { Registrations } from './features/accounts/registrations.ts';
import { UnfinishedImports } from './features/accounts/unfinished-imports.ts';
import { createAgent } from './features/agent/create-agent.ts';
import { AuditTrail } from './features/audit/audit-trail.ts';
import { SignInTrail } from './features/audit/sign-in-trail.ts';
import { PanelAccess } from './features/demo/panel-access.ts';
import { createErasure } from './features/erasure/create-erasure.ts';
import { createFollowDeletions } from './features/erasure/deleted-objects.ts';
import { RoomDeletion } from './features/erasure/room-deletion.ts';
import { SubjectErasure } from './features/erasure/subject-erasure.ts';
import { removeTracesOfDeleted } from './features/erasure/traces-of-deleted.ts';
import { createInbox } from './features/inbox/create-inbox.ts';
import { KeywordsService } from './features/keywords/keywords.service.ts';
import { NotificationsService } from './features/keywords/notifications.service.ts';
import { LeadsService } from './features/leads/leads.service.ts';
import { LeadStatisticsService } from './features/leads/statistics.ts';
import { createMail, createMailRequests } from './features/mail/create-mail.ts';
import { createMembers } from './features/members/create-members.ts';
import { MessagesService } from './features/messages/messages.service.ts';
import { Channel } from './features/realtime/channel.ts';
import { createRealtime } from './features/realtime/create-realtime.ts';
import { RoomsService } from './features/rooms/rooms.service.ts';
import { createSearch } from './features/search/create-search.ts';
import { SessionsService } from './features/visitors/sessions.service.ts';
import { createWebhooks } from './features/webhooks/create-webhooks.ts';
import { ErasedDeliveries } from './features/webhooks/erased-deliveries.ts';
import { PublicWidgetCache } from './features/widgets/public-widget-cache.ts';
import { SightingsService } from './features/widgets/sightings.service.ts';
import { WidgetsService } from './features/widgets/widgets.service.ts';
import { createFoundation } from './foundation.ts';
import { OriginLeases } from './jobs/origin-leases.ts';
import { type Config, isOnlyProcess } from './platform/config.ts';
import { inOrder, together } from './platform/running.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/**
 * Builds everything that Parlor does, without HTTP, on an open database that has its indexes.
 * Nothing runs by itself until `start`.
 */
export const createServices = async (
  config: Config,
  connection: Connection,
  secretKey: string,
  log: Logger,
  embedded?: Database['embedded'],
) => {
  const foundation = await createFoundation(config, connection, secretKey, log, embedded);
  const { secrets, models, collections, rateLimits, diskReserve, budgets, relay, tombstones } = foundation;
  const writes = { relay, tombstones };

  const auditTrail = new AuditTrail(models);
  const signInTrail = new SignInTrail(models, log);
  const channel = new Channel(models, secrets, log, isOnlyProcess(config));

  const widgets = new WidgetsService(models.widgets, writes);
  const publicWidgets = new PublicWidgetCache(widgets);
  const sightings = new SightingsService(models.sightings, widgets, log);
  const leases = new AccountLeases(models.registrationClaims);
  const quotas = new Quotas(models, leases);
  const {
    services: people,
    names,
    store,
    mailed,
  } = createMembers({
    models,
    writes,
    secrets,
    leases,
    quotas,
    rateLimits,
    widgets,
    signInTrail,
    config,
    log,
  });
  const { credentials, currentAvatars, members, memberSessions, oidc, programTokens } = people;
  const accounts = new AccountsService(models.accounts, relay, widgets, secrets, names);
  const unfinishedImports = new UnfinishedImports({ credentials, collections, leases, models }, log);
  const accountDeletion = new AccountDeletion({ credentials, collections, leases, models }, log);
  accounts.onChange((account) => memberSessions.suspendIncomplete(account));
  const sessions = new SessionsService(models.sessions, widgets, secrets);

  const { index, earlier, search } = createSearch({ models, leases, unfinishedImports, log });
  const erasedDeliveries = new ErasedDeliveries(models.deliveries, log);
  const subjects = new SubjectErasure(collections, tombstones, {
    deliveries: (subject, before) => erasedDeliveries.redact(subject, before),
    realtimeEntries: (subject, before) => channel.forget(subject, before),
    searchSegments: (subject, before, deadline) => index.forget(subject, before, deadline),
    sessions: (room) => sessions.forget(room),
  });
  removeTracesOfDeleted({ tombstones, claims: models.idempotency, channel });
  const roomDeletion = new RoomDeletion(models, writes, subjects, log);

  const rooms = new RoomsService(models.rooms, relay);
  const messages = new MessagesService(models.messages, rooms, relay, foundation.askedFrom);
  channel.onEntry(({ at }) => messages.times.learn(at));
  const leads = new LeadsService(models.leads, rooms, writes, roomDeletion);
  const leadStatistics = new LeadStatisticsService(models.leads, widgets);
  const keywords = new KeywordsService(models.keywords, writes);
  const perDay = config.KEYWORD_NOTIFICATIONS_PER_DAY;
  const notifications = new NotificationsService({ ...models, rooms, keywords, relay, budgets, perDay, log });

  const markSent = (notification: string, at: Date, account: string) =>
    notifications.markSent([notification], at, account);
  const originLeases = new OriginLeases({
    senders: models.webhookSenders,
    origins: models.webhookOrigins,
    keys: foundation.keys,
    isOnlyProcess: isOnlyProcess(config),
    log,
  });
  const { webhooks, deliveries, consume, sender } = createWebhooks({
    models,
    outbox: writes,
    config,
    secrets,
    leases: originLeases,
    unfinishedImports,
    log,
    diskReserve,
    markSent,
  });
  const confirmations = new EmailConfirmations(models, secrets, relay);
  const mail = createMail({
    models,
    leases: originLeases,
    budgets,
    secrets,
    config,
    notifications,
    confirmations,
    members: mailed,
    log,
  });
  // What was raised before has waited for the address to be confirmed.
  if (mail) confirmations.onConfirmed((account) => mail.digests.request(account));
  const mailRequests = createMailRequests({ models, queue: mail?.queue, store, budgets, secrets, log });
  const registrations = new Registrations({
    accounts,
    claims: models.registrationClaims,
    confirmations: mailRequests.confirmationRequests,
    secrets,
    config,
    log,
  });
  const realtime = createRealtime({ channel, currentAvatars, log, messages, models, relay, rooms });
  const { frames, presence, readMarks, typing, viewing } = realtime;
  const agent = createAgent({
    models,
    budgets,
    secrets,
    askedFrom: foundation.askedFrom,
    rooms,
    times: messages.times,
    leads,
    ...writes,
    channel,
    unfinishedImports,
    config,
    log,
  });
  rooms.useBots({
    greet: (room) => agent.answers.greet(room),
    publish: (room) => agent.publication.publish(room),
  });
  messages.useBots(agent.answers);
  const erasure = createErasure({
    credentials,
    programTokens,
    channel,
    leads,
    log,
    members,
    memberSessions,
    roomDeletion,
    rooms,
    sessions,
    subjects,
    widgets,
  });
  const roomWidgets = new RoomWidgets(models, unfinishedImports, log);

  const { waker, backfill, ...inbox } = createInbox({
    models,
    store,
    quotas,
    ...writes,
    channel,
    unfinishedImports,
    log,
  });
  // The conversation before it may have taken in what its visitor has said since, and is gone.
  roomDeletion.onDelete(({ _id, account }) => inbox.follower.beginOf(account, _id));
  credentials.onEnd(({ account }) => confirmations.forgetOthers(account));
  credentials.onEnd((member) => inbox.releases.release(member));
  credentials.onEnd((member) => inbox.replies.release(member));
  credentials.onEnd((member) => inbox.drafts.deleteAllOf(member));

  relay.subscribe(inbox.follower.consume, inbox.consumeMentions, inbox.recordEvents);
  relay.subscribe(channel.consume, (events) => notifications.raise(events), consume, auditTrail.consume);
  relay.subscribe(createFollowDeletions({ credentials, graphs: agent.workflows.graphs, widgets }));
  relay.subscribe((events) => index.consume(events));
  relay.beforeRemoval(() => index.flush());
  if (mail) relay.subscribe(mail.mailer.consume);
  relay.subscribe((events) => agent.answers.consume(events));

  const clockCheck = isOnlyProcess(config) ? undefined : new ClockCheck(foundation.connection, log);

  /** What runs by itself, each after what it needs: started in this order, and stopped in the opposite one. */
  const running = inOrder(
    [
      diskReserve,
      clockCheck,
      together(sender, mail?.mailer),
      oidc,
      channel,
      presence,
      typing,
      viewing,
      inbox.countsTeller,
      signInTrail,
      people.lastSeen,
      sightings,
      relay,
      agent,
      roomDeletion,
      accountDeletion,
      unfinishedImports,
      erasedDeliveries,
      erasure,
      roomWidgets,
      waker,
      inbox.releases,
      backfill,
      earlier,
    ],
    log,
  );

  return {
    ...foundation,
    /** Which server processes live. */
    processes: originLeases,
    auditTrail,
    widgets,
    publicWidgets,
    sightings,
    accounts,
    accountDeletion,
    unfinishedImports,
    leases,
    accountDownloads: new AccountDownloads(collections, mailed.active),
    ...people,
    names,
    quotas,
    registrations,
    confirmations,
    ...mailRequests,
    membersForMail: mailed,
    sessions,
    erasure,
    rooms,
    roomWidgets,
    ...inbox,
    backfill,
    waker,
    search,
    searchIndex: index,
    earlierObjects: earlier,
    roomDeletion,
    erasedDeliveries,
    messages,
    leads,
    leadStatistics,
    keywords,
    notifications,
    webhooks,
    deliveries,
    sender,
    mailer: mail?.mailer,
    channel,
    frames,
    presence,
    readMarks,
    typing,
    viewing,
    workflows: agent.workflows,
    testTurns: agent.testTurns,
    conversations: agent.conversations,
    answers: agent.answers,
    panelAccess: new PanelAccess(),
    /** Begins announcing events and sending deliveries. */
    start: running.start,
    /** Finishes what runs; what is left stays in the database for the next start. */
    stop: running.stop,
  };
};
