import type { Role } from '@parlor/shared';
import { useId } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import styles from './form.module.css';

/** The roles, each with what it may do; admins give none above their own. */
export const RoleChoice = ({ value, onChange }: { value: Role; onChange(role: Role): void }) => {
  const t = words.value.team;
  const id = useId();
  const roles: Role[] = me.value?.role === 'owner' ? ['operator', 'admin', 'owner'] : ['operator', 'admin'];
  return (
    <fieldset class={styles.roles}>
      <legend>{t.role}</legend>
      {roles.map((role) => (
        <label key={role}>
          <input type="radio" name={id} checked={role === value} onChange={() => onChange(role)} />
          <span>
            {t.roles[role]}
            <span class={styles.hint}>{t.roleHints[role]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
};
