import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { lazy } from 'preact-iso';
import { ChunkError, type Lack, loadPage } from '../api/chunk.ts';
import { words } from '../locale/locale.ts';
import { focusPage } from './focus-page.ts';
import { LackWays, lackText } from './lack-said.tsx';
import { Page } from './page.tsx';

/** A page that is loaded when it is visited; where it can't be, that is said in its place, until it is visited again or asked for. */
export const load = (page: () => Promise<FunctionComponent>): FunctionComponent => {
  let loaded: FunctionComponent | undefined;
  let failed: Lack = 'unreachable';
  let hasSaid = false;

  /** @returns whether it is there now */
  const tryAgain = async (): Promise<boolean> => {
    try {
      loaded = await loadPage(page);
    } catch (error) {
      if (!(error instanceof ChunkError)) throw error;
      failed = error.lack;
    }
    return loaded !== undefined;
  };

  const Retried: FunctionComponent = () => {
    const [isBusy, setBusy] = useState(false);
    const retry = async () => {
      setBusy(true);
      const isThere = await tryAgain();
      setBusy(false);
      // The button that was pressed is gone.
      if (isThere) requestAnimationFrame(focusPage);
    };
    useEffect(() => {
      if (hasSaid && !loaded) void retry();
      hasSaid = true;
    }, []);
    const Loaded = loaded;
    if (Loaded) return <Loaded />;
    return (
      <Page title={words.value.errors.page}>
        {failed === 'updated' && <p>{lackText(failed)}</p>}
        <div>
          <LackWays lack={failed} isBusy={isBusy} onRetry={retry} />
        </div>
      </Page>
    );
  };

  return lazy<FunctionComponent>(async () => ((await tryAgain()) && loaded) || Retried);
};
