import type { AuditEntry, Member } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import { usePages } from '../api/use-pages.ts';
import { words } from '../locale/locale.ts';
import { Page } from '../shell/page.tsx';
import { More } from '../ui/more.tsx';
import { Select } from '../ui/select.tsx';
import styles from './audit.module.css';
import { Entry } from './entry.tsx';

const PATH = '/console/settings/audit';
const LIMIT = 50;

/** The filters of the list, which stand in the address of the page, too. */
interface Filter {
  member: string;
  action: string;
}

const queryOf = (filter: Filter): string =>
  new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString();

/** Who changed what in the account, newest first, for owners and admins. */
export const Audit = () => {
  const t = words.value.audit;
  const { query, route } = useLocation();
  const filter: Filter = { member: query.member ?? '', action: query.action ?? '' };
  const [members, setMembers] = useState<readonly Member[]>([]);
  useEffect(() => {
    // Without them the list is shown all the same.
    ask<Member[]>('GET', 'members/?limit=200').then(setMembers, () => undefined);
  }, []);
  const search = queryOf(filter);
  const pages = usePages<AuditEntry>(`audit/?limit=${LIMIT}${search && `&${search}`}`);
  const { items: entries, isBusy } = pages;
  const choose = (wanted: Partial<Filter>) => {
    const chosen = queryOf({ ...filter, ...wanted });
    route(chosen === '' ? PATH : `${PATH}?${chosen}`, true);
  };
  const people = members.flatMap(({ uuid, username, name }) =>
    username === null ? [] : [[uuid, name] as const],
  );
  const actions = Object.entries(t.actions).sort(([, a], [, b]) => a.localeCompare(b));
  return (
    <Page title={t.title} hint={t.hint}>
      <div class={styles.filters}>
        <Select
          label={t.member}
          value={filter.member}
          options={[['', t.everybody], ...people]}
          onChoose={(member) => choose({ member })}
        />
        <Select
          label={t.action}
          value={filter.action}
          options={[['', t.everything], ...actions]}
          onChoose={(action) => choose({ action })}
        />
      </div>
      {entries && entries.length > 0 && (
        <table class={styles.table}>
          <caption class="hidden">{t.title}</caption>
          <thead>
            <tr>
              <th scope="col">{t.when}</th>
              <th scope="col">{t.who}</th>
              <th scope="col">{t.what}</th>
              <th scope="col">{t.fields}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Entry key={entry.uuid} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      <p role="status" class={entries?.length === 0 ? styles.empty : 'hidden'}>
        {entries?.length === 0 ? t.nothing : isBusy ? words.value.common.loading : ''}
      </p>
      <div class={styles.more}>
        <More pages={pages} label={t.older} />
      </div>
    </Page>
  );
};
