import type { Workflow as Saved } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { ApiError, askTagged } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Page } from '../shell/page.tsx';
import { BackLink } from '../ui/back-link.tsx';
import { Failed } from '../ui/failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { Editor } from './editor.ts';
import { Studio } from './studio.tsx';

/** One workflow, to be edited. */
export const Workflow = () => {
  const t = workflowWords.value;
  const { uuid = '' } = useRoute().params;
  const [loaded, setLoaded] = useState<Editor | 'loading' | 'gone' | 'failed'>('loading');
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isWanted = true;
    setLoaded('loading');
    askTagged<Saved>('GET', `workflows/${uuid}/`).then(
      (found) => isWanted && setLoaded(new Editor(found)),
      (error) => {
        if (!(error instanceof ApiError)) throw error;
        if (isWanted) setLoaded(error.status === 404 ? 'gone' : 'failed');
      },
    );
    return () => {
      isWanted = false;
    };
  }, [uuid, turn]);
  if (typeof loaded === 'object') return <Studio key={loaded.uuid} editor={loaded} />;
  return (
    <Page title={t.title}>
      <BackLink href="/console/workflows">{t.back}</BackLink>
      {loaded === 'loading' && <p role="status">{words.value.common.loading}</p>}
      {loaded === 'gone' && <Notice kind="plain">{t.gone}</Notice>}
      <Failed error={loaded === 'failed' ? words.value.errors.page : ''} onRetry={() => setTurn(turn + 1)} />
    </Page>
  );
};
