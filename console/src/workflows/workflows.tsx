import type { Workflow } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError, askAll, askTagged } from '../api/client.ts';
import { useReading } from '../api/use-reading.ts';
import { count } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Rows } from '../ui/listing.tsx';
import { removed } from '../ui/removal.ts';
import { toast } from '../ui/toast.tsx';
import { CreateWorkflow } from './create-workflow.tsx';
import { removeWorkflow } from './remove-workflow.ts';
import styles from './workflows.module.css';

/** Each has its graph with it: they come in several pages. */
const readAll = (): Promise<Workflow[]> => askAll('workflows/?limit=100');

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
    <li class={styles.row}>
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
  const { value: workflows, error, refresh } = useReading(readAll);
  const [isCreating, setCreating] = useState(false);
  const shown = workflows?.filter(({ uuid }) => !removed.value.has(`workflows/${uuid}/`));
  return (
    <>
      <ListPage
        texts={t}
        add={t.create}
        onAdd={() => setCreating(true)}
        items={shown}
        error={error}
        onRetry={refresh}
      >
        <Rows label={t.title}>
          {shown?.map((workflow) => (
            <Row key={workflow.uuid} workflow={workflow} />
          ))}
        </Rows>
      </ListPage>
      {isCreating && <CreateWorkflow onClose={() => setCreating(false)} />}
    </>
  );
};
