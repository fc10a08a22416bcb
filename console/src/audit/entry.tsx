import type { AuditEntry, FieldChange } from '@parlor/shared';
import { moment, words } from '../locale/locale.ts';
import styles from './audit.module.css';

const actorOf = ({ kind, name, token }: AuditEntry['actor']): string => {
  const { actors } = words.value.audit;
  switch (kind) {
    case 'member':
      return name;
    case 'program':
      return actors.program(name, token ?? '');
    default:
      return actors[kind];
  }
};

/** What is shown of a change; of a secret nothing but that it is another one. */
const changeOf = ({ from, to }: FieldChange): string => {
  if (from === null) return to === null ? '' : `: ${to}`;
  return `: ${from} → ${to ?? '–'}`;
};

const Change = ({ change }: { change: FieldChange }) => (
  <li>
    <code>{change.field}</code>
    {changeOf(change)}
  </li>
);

/** A row of the audit trail's table. */
export const Entry = ({ entry }: { entry: AuditEntry }) => {
  const { actor, address, action, at, changes, count, last_at, object } = entry;
  const t = words.value.audit;
  const label = object.label || object.uuid;
  return (
    <tr>
      <td>
        <time dateTime={at}>{moment(at)}</time>
        {count > 1 && <p class={styles.minor}>{t.times(count, moment(last_at))}</p>}
      </td>
      <td>
        {actorOf(actor)}
        {address && <p class={styles.minor}>{address}</p>}
      </td>
      <td>
        {t.actions[action] ?? action}
        <p class={styles.minor}>
          {t.kinds[object.kind]}: {label}
        </p>
      </td>
      <td>
        <ul>
          {changes.map((change) => (
            <Change key={change.field} change={change} />
          ))}
        </ul>
      </td>
    </tr>
  );
};
