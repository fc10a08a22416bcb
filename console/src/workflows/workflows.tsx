import type { Workflow } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, askPage, askTagged } from '../api/client.ts';
import { count, words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { removed } from '../ui/removal.ts';
import { toast } from '../ui/toast.tsx';
import { CreateWorkflow } from './create-workflow.tsx';
import { removeWorkflow } from './remove-workflow.ts';
import styles from './workflows.module.css';

/** All of them: each has its graph with it, so that they come in several pages. */
const readAll = async (): Promise<Workflow[]> => {
  const all: Workflow[] = [];
  for (let path: string | undefined = 'workflows/?limit=100'; path !== undefined; ) {
    const page: { items: Workflow[]; next: string | undefined } = await askPage<Workflow>(path);
    all.push(...page.items);
    path = page.next;
  }
  return all;
};

const Row = ({ workflow }: { workflow: Workflow }) => {
  const t = workflowWords.value;
  const { uuid, name, is_published, is_room_bot, nodes, problems } = workflow;
  const [isBusy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      removeWorkflow(await askTagged<Workflow>('GET', `workflows/${uuid}/`));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast(t.notRemoved);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <a href={`/console/workflows/${uuid}`}>
        <b dir="auto">{name}</b>
        <span class={styles.facts}>
          <span class={is_published ? styles.published : styles.draft}>
            {is_published ? t.published : t.draft}
          </span>
          {is_room_bot && <span class={styles.bot}>{t.roomBot}</span>}
          <span>{t.nodes(count(nodes.length))}</span>
          {problems.length > 0 && (
            <span class={styles.problems}>
              <Icon name="warning" />
              {t.problems(count(problems.length))}
            </span>
          )}
        </span>
      </a>
      <Button kind="quiet" isBusy={isBusy} onClick={() => void remove()}>
        {t.removeIt}
        <span class="hidden">: {name}</span>
      </Button>
    </li>
  );
};

/** The account's workflows. */
export const Workflows = () => {
  const t = workflowWords.value;
  const [workflows, setWorkflows] = useState<readonly Workflow[]>();
  const [error, setError] = useState('');
  const [isCreating, setCreating] = useState(false);
  const load = () => {
    setError('');
    readAll().then(setWorkflows, (failure) => {
      if (!(failure instanceof ApiError)) throw failure;
      setError(words.value.errors.page);
    });
  };
  useEffect(load, []);
  const shown = workflows?.filter(({ uuid }) => !removed.value.has(`workflows/${uuid}/`)) ?? [];
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} hint={t.hint} action={shown.length > 0 && create}>
      {error && (
        <Notice>
          {error} <Button onClick={load}>{words.value.common.retry}</Button>
        </Notice>
      )}
      {!workflows && !error && <p role="status">{words.value.common.loading}</p>}
      {workflows && shown.length === 0 && (
        <Empty title={t.empty} hint={t.emptyHint}>
          {create}
        </Empty>
      )}
      {shown.length > 0 && (
        <ul class={styles.list} aria-label={t.title}>
          {shown.map((workflow) => (
            <Row key={workflow.uuid} workflow={workflow} />
          ))}
        </ul>
      )}
      {isCreating && <CreateWorkflow onClose={() => setCreating(false)} />}
    </Page>
  );
};
