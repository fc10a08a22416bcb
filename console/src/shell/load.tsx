import type { FunctionComponent } from 'preact';
import { lazy } from 'preact-iso';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Page } from './page.tsx';

/** A page whose file could not be loaded: the network was away, or an update has brought others. */
const NotLoaded = () => (
  <Page title={words.value.errors.page}>
    <div>
      <Button onClick={() => location.reload()}>{words.value.common.retry}</Button>
    </div>
  </Page>
);

/** A page that is loaded when it is visited. */
export const load = (page: () => Promise<FunctionComponent>): FunctionComponent =>
  lazy<FunctionComponent>(() => page().catch(() => NotLoaded));
