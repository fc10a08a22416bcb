import { useRef } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { Audit } from './audit/audit.tsx';
import { Inbox } from './inbox/inbox.tsx';
import { words } from './locale/locale.ts';
import { Team } from './members/team.tsx';
import { RepliesPage } from './replies/replies-page.tsx';
import { Invitation } from './session/invitation.tsx';
import { Reset } from './session/reset.tsx';
import { isAdmin, lacksSecondFactor, loadSession, session } from './session/session.ts';
import { SignIn } from './session/sign-in.tsx';
import { Unreachable } from './session/unreachable.tsx';
import { Profile } from './settings/profile.tsx';
import { Security } from './settings/security.tsx';
import { load } from './shell/load.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';

const Leads = load(() => import('./leads/leads.tsx').then((file) => file.Leads));
const Reports = load(() => import('./reports/reports.tsx').then((file) => file.Reports));

const Start = () => {
  const { route } = useLocation();
  route('/console/inbox/all', true);
  return null;
};

const Pages = () => {
  const { path } = useLocation();
  const first = useRef(path);
  // Whoever hears a page that had to be loaded learns that it is another one; of the first the browser says so itself.
  const headTo = () => {
    if (path !== first.current) document.querySelector<HTMLElement>('#content h1')?.focus();
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
            <Security />
          ) : (
            <Router onLoadEnd={headTo}>
              <Route path="/console/" component={Start} />
              <Route path="/console/inbox/:view/:uuid?" component={Inbox} />
              <Route path="/console/leads" component={Leads} />
              <Route path="/console/reports" component={Reports} />
              <Route path="/console/settings/profile" component={Profile} />
              <Route path="/console/settings/security" component={Security} />
              <Route path="/console/settings/replies" component={RepliesPage} />
              <Route path="/console/settings/team" component={Team} />
              <Route path="/console/settings/audit" component={isAdmin.value ? Audit : NotFound} />
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
  </LocationProvider>
);
