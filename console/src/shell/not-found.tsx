import { words } from '../locale/locale.ts';
import { hasOtherRole } from '../session/session.ts';
import { Page } from './page.tsx';

/** What a member sees of a page that its role does not have; it may have had another one as it came here. */
export const NotAllowed = () =>
  hasOtherRole.value ? (
    <Page title={words.value.shell.notAllowed}>
      <a href="/console/">{words.value.shell.home}</a>
    </Page>
  ) : (
    <NotFound />
  );

/** An address that no page has. */
export const NotFound = () => (
  <Page title={words.value.shell.notFound}>
    <a href="/console/">{words.value.shell.home}</a>
  </Page>
);
