import { words } from '../locale/locale.ts';
import { Page } from './page.tsx';

/** An address that no page has. */
export const NotFound = () => (
  <Page title={words.value.shell.notFound}>
    <a href="/console/">{words.value.shell.home}</a>
  </Page>
);
