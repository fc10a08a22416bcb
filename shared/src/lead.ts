import { z } from 'zod';
import { datetime, optionalEmail, optionalPhone, optionalText, uuid } from './fields.ts';
import { MAX_NICKNAME, MAX_PAGE_TITLE, MAX_PAGE_URL } from './limits.ts';

/** A visitor's details (docs/contract.md#lead). */
export const Lead = z
  .object({
    uuid: uuid(),
    nickname: optionalText(MAX_NICKNAME).meta({ example: 'Ada' }),
    email: optionalEmail(),
    phone_number: optionalPhone(),
    device: optionalText(200).meta({ example: 'Chrome 140 on Android, mobile' }),
    from_page_title: optionalText(MAX_PAGE_TITLE).meta({ example: 'Prices' }),
    referrer: optionalText(MAX_PAGE_URL).meta({ example: 'https://search.example.com/' }),
    widget: uuid().nullable().meta({
      description: 'Added: the widget where it was left; null where it came by the API.',
      example: null,
    }),
    conversation: uuid().nullable().meta({
      description: 'Added: the conversation that it was left in; null where it came by the API.',
      example: null,
    }),
    created_at: datetime(),
  })
  .meta({ id: 'Lead' });
export type Lead = z.infer<typeof Lead>;

/** Without a way to name or reach its visitor a lead is none. */
export const NO_CONTACT = 'One of nickname, email, phone_number must not be blank.';

/** Whether a lead says who it is or how to reach it. */
export const hasContact = (lead: Pick<Lead, 'nickname' | 'email' | 'phone_number'>): boolean =>
  [lead.nickname, lead.email, lead.phone_number].some((value) => value.trim() !== '');

/** The fields of a lead that a caller writes. */
export const NewLead = Lead.omit({ uuid: true, widget: true, conversation: true, created_at: true }).meta({
  id: 'NewLead',
});
export type NewLead = z.infer<typeof NewLead>;

const day = () => z.iso.date().meta({ example: '2026-11-21' });

const group = () => z.string().optional();

/**
 * What the statistics of leads can be grouped by (docs/contract.md#lead): each result has one of these keys.
 */
const groups = {
  user: group(),
  day: group(),
  device: group(),
  referrer: group(),
  from_page_title: group(),
  widget: group(),
};
export type LeadGroup = keyof typeof groups;
export const LEAD_GROUPS = Object.keys(groups) as [LeadGroup, ...LeadGroup[]];

/** The answer to GET /api/v1/leads/stats/; each result has the group's word as its key. */
export const LeadStatistics = z
  .object({
    group_by: z.enum(LEAD_GROUPS),
    start_date: day(),
    end_date: day(),
    total: z.int().meta({ example: 42 }),
    results: z
      .array(
        z.object({
          ...groups,
          name: z.string().optional().meta({ description: 'With group_by=widget: its name.' }),
          total: z.int(),
        }),
      )
      .meta({ example: [{ user: 'Ada', total: 3 }] }),
  })
  .meta({ id: 'LeadStatistics' });
export type LeadStatistics = z.infer<typeof LeadStatistics>;
