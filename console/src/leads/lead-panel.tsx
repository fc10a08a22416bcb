import type { Lead } from '@parlor/shared';
import { useEffect, useRef } from 'preact/hooks';
import { widgetNameOf } from '../inbox/people.ts';
import { leadWords } from '../locale/leads.ts';
import { moment, words } from '../locale/locale.ts';
import { isAdmin } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import type { Edited } from '../ui/edited-object.ts';
import { Fact, Facts, WebAddress } from '../ui/facts.tsx';
import { Failed } from '../ui/failed.tsx';
import { Icon } from '../ui/icon.tsx';
import { isComposing } from '../ui/keys.ts';
import { Notice } from '../ui/notice.tsx';
import type { Contact } from './contact.ts';
import { LeadForm } from './lead-form.tsx';
import type { LeadList } from './lead-list.ts';
import styles from './lead-panel.module.css';
import { nameOf } from './lead-table.tsx';
import { useLead } from './use-lead.ts';

const Origin = ({ lead }: { lead: Lead }) => {
  const t = leadWords.value;
  const widget = widgetNameOf(lead.widget);
  return (
    <section>
      <h3>{t.origin}</h3>
      <Facts>
        <Fact label={t.names.created_at}>
          <time dateTime={lead.created_at}>{moment(lead.created_at)}</time>
        </Fact>
        {widget !== '' && <Fact label={t.names.widget}>{widget}</Fact>}
        <Fact label={t.names.from_page_title}>{lead.from_page_title}</Fact>
        <Fact label={t.names.referrer}>{lead.referrer && <WebAddress url={lead.referrer} />}</Fact>
        <Fact label={t.names.device}>{lead.device}</Fact>
      </Facts>
      {lead.conversation === null ? (
        <p class={styles.none}>{t.noConversation}</p>
      ) : (
        <a class={styles.conversation} href={`/console/inbox/all/${lead.conversation}`}>
          <Icon name="inbox" />
          {t.conversation}
        </a>
      )}
    </section>
  );
};

/** One lead: who it is, to be changed here, and where it came from. */
export const LeadPanel = ({
  uuid,
  list,
  onClose,
  onRemove,
}: {
  uuid: string;
  list: LeadList;
  onClose(): void;
  onRemove(lead: Lead, etag: string): void;
}) => {
  const t = leadWords.value;
  const edits = useLead(uuid, list);
  const { lead, read } = edits;
  const title = useRef<HTMLHeadingElement>(null);
  const isKnown = typeof lead === 'object';
  useEffect(() => title.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !isComposing(event)) onClose();
  };
  const body = ({ known, edit }: Edited<Lead, Contact>) => (
    <>
      <LeadForm edit={edit} edits={edits} />
      <Origin lead={known.object} />
      {isAdmin.value && (
        <footer>
          <Button kind="danger" onClick={() => onRemove(known.object, known.etag)}>
            {t.remove}
          </Button>
        </footer>
      )}
    </>
  );
  return (
    <aside class={styles.panel} aria-label={t.nameless} onKeyDown={onKeyDown}>
      <header>
        <button type="button" class={styles.back} aria-label={t.back} onClick={onClose}>
          <Icon name="back" />
        </button>
        <h2 ref={title} tabIndex={-1} dir="auto">
          {isKnown ? nameOf(lead.known.object) : t.nameless}
        </h2>
        <button type="button" class={styles.close} aria-label={t.close} onClick={onClose}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="m5 5 10 10M15 5 5 15" />
          </svg>
        </button>
      </header>
      {isKnown && body(lead)}
      {lead === 'loading' && <p role="status">{words.value.common.loading}</p>}
      {lead === 'gone' && <Notice kind="plain">{t.gone}</Notice>}
      <Failed error={lead === 'failed' ? words.value.errors.page : ''} onRetry={() => void read()} />
    </aside>
  );
};
