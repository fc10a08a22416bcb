import type { Lead } from '@parlor/shared';
import { widgetNameOf } from '../inbox/people.ts';
import { leadWords } from '../locale/leads.ts';
import { shortMoment } from '../locale/locale.ts';
import { type Column, columns } from './columns.ts';
import styles from './lead-table.module.css';

/** What a lead is called. */
export const nameOf = ({ nickname, email, phone_number }: Lead): string =>
  nickname.trim() || email || phone_number || leadWords.value.nameless;

/** An address without what every one has. */
const short = (address: string): string => address.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');

const Cell = ({ lead, column }: { lead: Lead; column: Column }) => {
  const value = column === 'widget' ? widgetNameOf(lead.widget) : lead[column];
  const text = column === 'referrer' ? short(value) : value;
  return (
    <td class={styles[column]} dir="auto" title={column === 'created_at' ? undefined : value}>
      {column === 'created_at' ? <time dateTime={value}>{shortMoment(value)}</time> : text}
    </td>
  );
};

/** The leads, newest first; the name of each opens it. */
export const LeadTable = ({
  leads,
  chosen,
  isStale,
  addressOf,
}: {
  leads: readonly Lead[];
  chosen: string | undefined;
  /** Others are being read. */
  isStale: boolean;
  addressOf(uuid: string): string;
}) => {
  const t = leadWords.value;
  return (
    <table class={`${styles.table} ${isStale ? styles.stale : ''}`} aria-busy={isStale}>
      <caption class="hidden">{t.title}</caption>
      <thead>
        <tr>
          <th scope="col">{t.names.nickname}</th>
          {columns.value.map((column) => (
            <th scope="col" key={column} class={styles[column]}>
              {t.names[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {leads.map((lead) => (
          <tr key={lead.uuid} class={lead.uuid === chosen ? styles.chosen : ''}>
            <th scope="row" dir="auto">
              <a
                id={`lead-${lead.uuid}`}
                href={addressOf(lead.uuid)}
                aria-current={lead.uuid === chosen ? 'true' : undefined}
              >
                {nameOf(lead)}
              </a>
            </th>
            {columns.value.map((column) => (
              <Cell key={column} lead={lead} column={column} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
