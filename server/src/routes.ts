import type { Services } from './compose.ts';
import { checkScopeFor } from './features/access/event-scopes.ts';
import { conversationRoutes } from './features/agent/conversations.routes.ts';
import { workflowTestRoutes } from './features/agent/test-turns.routes.ts';
import { workflowVersionRoutes } from './features/agent/versions.routes.ts';
import { workflowRoutes } from './features/agent/workflows.routes.ts';
import { auditRoutes } from './features/audit/audit.routes.ts';
import { healthRoutes } from './features/health/health.routes.ts';
import { draftRoutes } from './features/inbox/drafts/drafts.routes.ts';
import { inboxRoutes } from './features/inbox/inbox.routes.ts';
import { noteRoutes } from './features/inbox/notes/notes.routes.ts';
import { replyRoutes } from './features/inbox/replies/replies.routes.ts';
import { conversationStatisticsRoutes } from './features/inbox/statistics.routes.ts';
import { timelineRoutes } from './features/inbox/timeline/timeline.routes.ts';
import { keywordRoutes } from './features/keywords/keywords.routes.ts';
import { leadRoutes } from './features/leads/leads.routes.ts';
import { accountRoutes } from './features/members/account.routes.ts';
import { authRoutes } from './features/members/auth.routes.ts';
import { avatarRoutes } from './features/members/avatars/avatars.routes.ts';
import { memberRoutes } from './features/members/members.routes.ts';
import { oidcRoutes } from './features/members/oidc/oidc.routes.ts';
import { passwordResetRoutes } from './features/members/password-reset.routes.ts';
import { programTokenRoutes } from './features/members/program-tokens.routes.ts';
import type { SessionCookie } from './features/members/session-cookie.ts';
import { memberSessionRoutes } from './features/members/sessions.routes.ts';
import { totpRoutes } from './features/members/totp.routes.ts';
import { messageRoutes } from './features/messages/messages.routes.ts';
import { roomRoutes } from './features/rooms/rooms.routes.ts';
import { searchRoutes } from './features/search/search.routes.ts';
import { sessionRoutes } from './features/visitors/sessions.routes.ts';
import { deliveryRoutes } from './features/webhooks/deliveries.routes.ts';
import { webhookRoutes } from './features/webhooks/webhooks.routes.ts';
import { sightingRoutes } from './features/widgets/sightings.routes.ts';
import { widgetRoutes } from './features/widgets/widgets.routes.ts';
import type { Context } from './http/context.ts';
import type { HostCookie } from './http/host-cookie.ts';
import type { Route } from './http/route.ts';
import { openApiRoute } from './openapi/openapi.routes.ts';

/**
 * Every route of the API, in the order of its document. Nothing of the services is touched before a request comes, so
 * that the document can be made without them.
 */
export const createRoutes = (
  services: Services & {
    baseUrl(ctx: Context): string;
    deviceCookie: HostCookie;
    sessionCookie: SessionCookie;
  },
): Route[] => {
  const routes: Route[] = [
    ...authRoutes(services),
    ...accountRoutes(services),
    ...memberSessionRoutes(services),
    ...passwordResetRoutes(services),
    ...oidcRoutes(services),
    ...totpRoutes(services),
    // Before /members/{uuid}/…, which would take `me` for a uuid.
    ...avatarRoutes(services),
    ...memberRoutes(services),
    ...programTokenRoutes(services),
    ...auditRoutes(services),
    ...roomRoutes(services),
    ...messageRoutes(services),
    // Before /conversations/{uuid}/, which would take `stats` for a uuid.
    ...conversationStatisticsRoutes(services),
    ...inboxRoutes(services),
    ...timelineRoutes(services),
    ...noteRoutes(services),
    ...draftRoutes(services),
    ...replyRoutes(services),
    ...leadRoutes(services),
    ...searchRoutes(services),
    ...keywordRoutes(services),
    ...webhookRoutes({ ...services, checkScopeFor }),
    ...deliveryRoutes({ ...services, checkScopeFor }),
    ...widgetRoutes(services),
    ...sightingRoutes(services),
    ...sessionRoutes(services),
    ...workflowRoutes(services),
    ...workflowVersionRoutes(services),
    ...workflowTestRoutes(services),
    ...conversationRoutes(services),
    ...healthRoutes(services),
    openApiRoute(() => routes, services.config),
  ];
  return routes;
};
