import type { Lead } from '@parlor/shared';
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import { widgetNameOf } from '../inbox/people.ts';
import { leadWords } from '../locale/leads.ts';
import { shortMoment } from '../locale/locale.ts';
import { useRowWindow } from '../ui/use-row-window.ts';
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

/** The room of rows that are not in the page. */
const Space = ({ height }: { height: number }) =>
  height > 0 ? (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr class={styles.space} aria-hidden="true">
      <td colSpan={columns.value.length + 1} style={{ height: `${height}px` }} />
    </tr>
  ) : null;

/** The height of most rows (pixels). */
const ROW = 45;

const uuidOf = ({ uuid }: Lead): string => uuid;

/** The leads, newest first; the name of each opens it. */
export const LeadTable = ({
  leads,
  chosen,
  isStale,
  hasMore,
  of,
  isBack,
  addressOf,
}: {
  leads: readonly Lead[];
  chosen: string | undefined;
  /** Others are being read. */
  isStale: boolean;
  /** There are more than those that were read. */
  hasMore: boolean;
  /** Which leads they are: others begin with the newest. */
  of: string;
  /** Whether somebody comes back to them. */
  isBack: boolean;
  addressOf(uuid: string): string;
}) => {
  const t = leadWords.value;
  const body = useRef<HTMLTableSectionElement>(null);
  // Whoever closes it goes on from its row.
  const opened = useRef(chosen);
  if (chosen !== undefined) opened.current = chosen;
  const { rows, after, isWhole, measure } = useRowWindow(leads, {
    keyOf: uuidOf,
    height: ROW,
    list: body,
    back: { list: 'leads', of, isThere: isBack },
    kept: opened.current,
  });
  const isOpened = leads.some(({ uuid }) => uuid === chosen);
  const ofWindow = (value: number) => (isWhole ? undefined : value);
  return (
    <table
      class={`${styles.table} ${isStale ? styles.stale : ''} ${isOpened ? styles.opened : ''} ${isWhole ? '' : styles.windowed}`}
      aria-busy={isStale}
      aria-rowcount={ofWindow(hasMore ? -1 : leads.length + 1)}
    >
      <caption class="hidden">{t.title}</caption>
      <thead>
        <tr aria-rowindex={ofWindow(1)}>
          <th scope="col">{t.names.nickname}</th>
          {columns.value.map((column) => (
            <th scope="col" key={column} class={styles[column]}>
              {t.names[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.map(({ item: lead, index, before }) => (
          <Fragment key={lead.uuid}>
            <Space height={before} />
            <tr
              class={lead.uuid === chosen ? styles.chosen : ''}
              ref={measure}
              data-index={index}
              data-key={lead.uuid}
              aria-rowindex={ofWindow(index + 2)}
            >
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
          </Fragment>
        ))}
        <Space height={after} />
      </tbody>
    </table>
  );
};
