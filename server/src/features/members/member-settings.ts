import type { MemberSettings } from '@parlor/shared';
import type { Member } from './member.ts';
import type { Changed } from './member-audit.ts';
import { isSameRestriction } from './view.ts';

/** What a change sets, in one write: nobody sees for a moment what neither its old nor its new settings show. */
export const settingsFor = (current: Member, { role, name, widgets }: Partial<MemberSettings>): Changed => {
  const isOperator = (role ?? current.role) === 'operator';
  const restriction = isOperator ? (widgets === undefined ? current.widgets : widgets) : undefined;
  return {
    ...(role !== undefined && role !== current.role && { role }),
    ...(name !== undefined && name !== current.name && { name }),
    ...(!isSameRestriction(restriction ?? undefined, current.widgets) && {
      widgets: restriction ?? undefined,
    }),
  };
};
