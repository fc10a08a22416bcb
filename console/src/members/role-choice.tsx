import type { Role } from '@parlor/shared';
import { words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { RadioCards } from '../ui/radio-cards.tsx';

/** The roles, each with what it may do; admins give none above their own. */
export const RoleChoice = ({ value, onChange }: { value: Role; onChange(role: Role): void }) => {
  const t = words.value.team;
  const roles: Role[] = me.value?.role === 'owner' ? ['operator', 'admin', 'owner'] : ['operator', 'admin'];
  return (
    <RadioCards
      legend={t.role}
      options={roles.map((role) => [role, t.roles[role], t.roleHints[role]])}
      value={value}
      onChoose={onChange}
    />
  );
};
