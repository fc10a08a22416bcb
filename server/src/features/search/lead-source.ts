import { isOfLead } from '../../events/events.ts';
import type { LeadModel, StoredLead } from '../leads/leads.model.ts';
import { olderThan, type SearchObject, type SearchSource, STEP } from './source.ts';

const FIELDS = {
  account: 1,
  widget: 1,
  room: 1,
  created_at: 1,
  nickname: 1,
  email: 1,
  phone_number: 1,
} as const;

const objectOf = (lead: StoredLead): SearchObject => ({
  uuid: lead._id,
  account: lead.account,
  widget: lead.widget,
  at: lead.created_at,
  room: lead.room,
  subjects: [lead._id],
  texts: [
    ['nickname', lead.nickname],
    ['email', lead.email],
    ['phone_number', lead.phone_number],
  ],
});

/** Leads, by who they are and how to reach them. */
export const leadSource = ({ leads }: { leads: LeadModel }): SearchSource => ({
  kind: 'lead',
  operation: 'listLeads',
  touchedBy: (event) => (isOfLead(event) ? { uuid: (event.data as { uuid: string }).uuid } : undefined),
  read: async (account, uuids) => {
    const those = { _id: { $in: uuids as string[] }, account };
    return (await leads.find(those, FIELDS).lean<StoredLead[]>()).map(objectOf);
  },
  readOlder: async (account, before) => {
    const found = await leads
      .find({ account, ...olderThan('created_at', before) }, FIELDS)
      .sort({ created_at: -1, _id: -1 })
      .limit(STEP)
      .lean<StoredLead[]>();
    return found.map(objectOf);
  },
});
