import { count } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './problem-list.module.css';
import type { Problem } from './problems.ts';

/** Everything that is wrong, each with the way to where it is. */
export const ProblemList = ({ problems, onGo }: { problems: readonly Problem[]; onGo(id: string): void }) => {
  const t = workflowWords.value;
  if (problems.length === 0) {
    return (
      <p class={styles.none} role="status">
        <Icon name="done" />
        {t.noProblems}
      </p>
    );
  }
  return (
    <details class={styles.problems}>
      <summary>
        <Icon name="warning" />
        {t.problems(count(problems.length))}
      </summary>
      <ul aria-label={t.problemList}>
        {problems.map(({ nodes: [node], text }) => (
          <li key={`${node} ${text}`}>
            {node === undefined ? (
              <p>{text}</p>
            ) : (
              <button type="button" onClick={() => onGo(node)}>
                <b dir="auto">{node}</b>
                <span>{text}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
};
