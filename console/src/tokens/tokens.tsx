import type { ProgramToken } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { usePages } from '../api/use-pages.ts';
import { ago, listed, moment, words } from '../locale/locale.ts';
import { tokenWords } from '../locale/tokens.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Button } from '../ui/button.tsx';
import { Rows } from '../ui/listing.tsx';
import { More } from '../ui/more.tsx';
import { Notice } from '../ui/notice.tsx';
import { remove, removed } from '../ui/removal.ts';
import { AddToken } from './add-token.tsx';
import { rightsOf } from './scopes.ts';
import styles from './tokens.module.css';

const pathOf = ({ uuid }: ProgramToken): string => `tokens/${uuid}/`;

const Expiry = ({ at }: { at: string | null }) => {
  const t = tokenWords.value;
  if (at === null) return null;
  const isPast = Date.parse(at) <= Date.now();
  return (
    <span class={isPast ? styles.expired : ''}>{isPast ? t.expired(moment(at)) : t.until(moment(at))}</span>
  );
};

const Token = ({ token, onFailed }: { token: ProgramToken; onFailed(message: string): void }) => {
  const t = tokenWords.value;
  const { name, scopes, used_at, expires_at } = token;
  const rights = rightsOf(scopes).map(
    ([area, right]) => `${t.areas[area]} (${t.rights[right].toLowerCase()})`,
  );
  const removeIt = () => {
    onFailed('');
    remove({ path: pathOf(token), text: t.removed(name), onFailed: () => onFailed(t.notRemoved(name)) });
  };
  return (
    <li class={styles.row}>
      <div>
        <p class={styles.name} dir="auto">
          {name}
        </p>
        <p>{listed(rights)}</p>
        <p class={styles.minor}>
          <span title={used_at ? moment(used_at) : undefined}>
            {used_at ? t.used(ago(used_at)) : t.never}
          </span>
          <Expiry at={expires_at} />
        </p>
      </div>
      <Button onClick={removeIt} aria-label={`${t.remove}: ${name}`}>
        {t.remove}
      </Button>
    </li>
  );
};

/** The tokens that whoever is signed in has given to programs. */
export const Tokens = () => {
  const t = tokenWords.value;
  const pages = usePages<ProgramToken>('tokens/');
  const [isAdding, setAdding] = useState(false);
  const [failed, setFailed] = useState('');
  const shown = pages.items?.filter((token) => !removed.value.has(pathOf(token)));
  return (
    <>
      <ListPage
        texts={t}
        add={t.add}
        onAdd={() => setAdding(true)}
        items={shown}
        error={shown ? '' : pages.error}
        onRetry={pages.refresh}
      >
        <Notice>{failed}</Notice>
        <Rows label={t.title}>
          {shown?.map((token) => (
            <Token key={token.uuid} token={token} onFailed={setFailed} />
          ))}
        </Rows>
        <More pages={pages} label={words.value.common.more} />
      </ListPage>
      {isAdding && <AddToken onClose={() => setAdding(false)} onAdded={pages.add} />}
    </>
  );
};
