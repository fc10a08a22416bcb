import { MAX_BOT_LEADS, type NodeOf, optionalEmail, optionalPhone, optionalText } from '@parlor/shared';
import type { z } from 'zod';
import type { LeadFields } from '../../rooms/bot-state.ts';
import { go, type Runner } from '../turn.ts';

const FIELDS: Record<keyof LeadFields, z.ZodType<string>> = {
  nickname: optionalText(150),
  email: optionalEmail(),
  phone_number: optionalPhone(),
};

/** Saves a lead with what is well-formed of it; when nothing is, none, nor where the conversation has as many as it may. */
export const runLead: Runner<NodeOf<'lead'>> = (node, turn) => {
  const read = (name: keyof LeadFields): string => {
    const field = FIELDS[name].safeParse(turn.fill(node.fields[name]).trim());
    return field.success ? field.data : '';
  };
  const lead = { nickname: read('nickname'), email: read('email'), phone_number: read('phone_number') };
  if (Object.values(lead).some((value) => value !== '') && !turn.take(lead)) {
    turn.fault ??= `node "${node.id}": the bot takes no more than ${MAX_BOT_LEADS} leads in a conversation`;
  }
  return go(node.next);
};
