import type { ReadonlySignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useRef } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { Inbox } from './inbox/inbox.tsx';
import { words } from './locale/locale.ts';
import { Invitation } from './session/invitation.tsx';
import { Reset } from './session/reset.tsx';
import { Returning } from './session/returning.tsx';
import { isAdmin, isOwner, lacksSecondFactor, loadSession, session } from './session/session.ts';
import { SignIn } from './session/sign-in.tsx';
import { Unreachable } from './session/unreachable.tsx';
import { NewRecoveryCodes } from './settings/recovery-codes.tsx';
import { focusPage } from './shell/focus-page.ts';
import { LackingParts } from './shell/lacking.tsx';
import { load } from './shell/load.tsx';
import { NotAllowed, NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';

const Tokens = load(() => import('./tokens/tokens.tsx').then((file) => file.Tokens));
const AccountPage = load(() => import('./settings/account.tsx').then((file) => file.AccountPage));
const Audit = load(() => import('./audit/audit.tsx').then((file) => file.Audit));
const Team = load(() => import('./members/team.tsx').then((file) => file.Team));
const RepliesPage = load(() => import('./replies/replies-page.tsx').then((file) => file.RepliesPage));
const Profile = load(() => import('./settings/profile.tsx').then((file) => file.Profile));
const Security = load(() => import('./settings/security.tsx').then((file) => file.Security));
const Search = load(() => import('./search/search.tsx').then((file) => file.Search));
const Leads = load(() => import('./leads/leads.tsx').then((file) => file.Leads));
const Reports = load(() => import('./reports/reports.tsx').then((file) => file.Reports));
const Keywords = load(() => import('./keywords/keywords.tsx').then((file) => file.Keywords));
const Webhooks = load(() => import('./webhooks/webhooks.tsx').then((file) => file.Webhooks));
const Webhook = load(() => import('./webhooks/webhook.tsx').then((file) => file.Webhook));
const Workflows = load(() => import('./workflows/workflows.tsx').then((file) => file.Workflows));
const Workflow = load(() => import('./workflows/workflow.tsx').then((file) => file.Workflow));
const Widgets = load(() => import('./widgets/widgets.tsx').then((file) => file.Widgets));
const Studio = load(() => import('./widgets/studio.tsx').then((file) => file.Studio));

const Start = () => {
  const { route } = useLocation();
  route('/console/inbox/all', true);
  return null;
};

/** A page of some roles. The router draws a route anew where a property of it is another one that is no function. */
const of = ({ value: isAllowed }: ReadonlySignal<boolean>, component: FunctionComponent) => ({
  component: isAllowed ? component : NotAllowed,
  isAllowed,
});

const Pages = () => {
  const { path } = useLocation();
  const first = useRef(path);
  // Whoever hears a page that had to be loaded learns that it is another one; of the first the browser says so itself.
  const headTo = () => {
    if (path !== first.current) focusPage();
  };
  if (/^\/console\/invitation\/?$/.test(path)) return <Invitation />;
  if (/^\/console\/reset\/?$/.test(path)) return <Reset />;
  switch (session.value) {
    case 'unknown':
      return (
        <p class="hidden" role="status">
          {words.value.common.loading}
        </p>
      );
    case 'unreachable':
      return <Unreachable onRetry={loadSession} />;
    case 'out':
      return <SignIn />;
    case 'in':
      return (
        <Shell>
          {lacksSecondFactor.value ? (
            <Router>
              <Route path="/console/settings/security" component={Security} />
              <Route default component={Security} />
            </Router>
          ) : (
            <Router onLoadEnd={headTo}>
              <Route path="/console/" component={Start} />
              <Route path="/console/inbox/:view/:uuid?" component={Inbox} />
              <Route path="/console/search" component={Search} />
              <Route path="/console/leads" component={Leads} />
              <Route path="/console/reports" component={Reports} />
              <Route path="/console/keywords" {...of(isAdmin, Keywords)} />
              <Route path="/console/webhooks" {...of(isAdmin, Webhooks)} />
              <Route path="/console/webhooks/:uuid" {...of(isAdmin, Webhook)} />
              <Route path="/console/workflows" {...of(isAdmin, Workflows)} />
              <Route path="/console/workflows/:uuid" {...of(isAdmin, Workflow)} />
              <Route path="/console/widgets" {...of(isAdmin, Widgets)} />
              <Route path="/console/widgets/:uuid" {...of(isAdmin, Studio)} />
              <Route path="/console/settings/profile" component={Profile} />
              <Route path="/console/settings/security" component={Security} />
              <Route path="/console/settings/replies" component={RepliesPage} />
              <Route path="/console/settings/team" component={Team} />
              <Route path="/console/settings/tokens" component={Tokens} />
              <Route path="/console/settings/account" {...of(isOwner, AccountPage)} />
              <Route path="/console/settings/audit" {...of(isAdmin, Audit)} />
              <Route default component={NotFound} />
            </Router>
          )}
        </Shell>
      );
  }
};

/** The whole console, by address and by who is signed in. */
export const App = () => (
  <LocationProvider scope="/console">
    <Pages />
    <LackingParts />
    <NewRecoveryCodes />
    <Returning />
  </LocationProvider>
);
