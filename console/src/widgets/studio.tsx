import type { NewWidget } from '@parlor/shared';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { readPeople } from '../inbox/people.ts';
import { words } from '../locale/locale.ts';
import { widgetWords } from '../locale/widgets.ts';
import { Page } from '../shell/page.tsx';
import { BackLink } from '../ui/back-link.tsx';
import { Button } from '../ui/button.tsx';
import { hasChanges } from '../ui/edit.ts';
import { Failed } from '../ui/failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { remove } from '../ui/removal.ts';
import { toast } from '../ui/toast.tsx';
import { useForm } from '../ui/use-form.ts';
import { FIELDS, fieldsOf, SECTIONS, type Section, type SettingName } from './fields.ts';
import { Install } from './install.tsx';
import { Preview } from './preview.tsx';
import { Dispute, SettingControl } from './setting-control.tsx';
import { showable } from './settings.ts';
import styles from './studio.module.css';
import { isDisputed, pathOf, type Studio as Studied, useStudio } from './use-studio.ts';
import { widgetName } from './widget-name.ts';

type Edits = ReturnType<typeof useStudio>;

const sectionOf = (text: string | undefined): Section => SECTIONS.find((one) => one === text) ?? 'appearance';

/** The parts of the studio; one with something to decide or to mend is marked. */
const Sections = ({ here, marked }: { here: Section; marked: ReadonlySet<Section> }) => {
  const t = widgetWords.value;
  const { path } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a phone they are a line that is longer than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [here]);
  return (
    <nav class={styles.sections} aria-label={t.parts} ref={nav}>
      {SECTIONS.map((one) => (
        <a
          key={one}
          href={`${path}?section=${one}`}
          aria-current={one === here ? 'true' : undefined}
          data-marked={marked.has(one) || undefined}
        >
          {t.sections[one]}
        </a>
      ))}
    </nav>
  );
};

/** Takes the widget away, with a moment to take that back. */
const Removal = ({ studio: { known: widget } }: { studio: Studied }) => {
  const t = widgetWords.value;
  const { route } = useLocation();
  const onClick = () => {
    route('/console/widgets');
    remove({
      path: pathOf(widget.object),
      etag: widget.etag,
      text: t.removed,
      onFailed: ({ status }) => toast(status === 412 ? t.notRemovedChanged : t.notRemoved),
    });
  };
  return (
    <div class={styles.removal}>
      <h2>{t.removeTitle}</h2>
      <p>{t.removeHint}</p>
      <Button kind="danger" onClick={onClick}>
        {t.remove}
      </Button>
    </div>
  );
};

/** The settings of a section, each with what was refused of it, and with what a colleague has made of it. */
const Fields = ({
  names,
  edit,
  errors,
  edits,
}: {
  names: readonly SettingName[];
  edit: Studied['edit'];
  errors: Readonly<Record<string, string>>;
  edits: Edits;
}) => {
  const dispute = (name: SettingName) =>
    Object.hasOwn(edit.theirs, name) && (
      <Dispute
        key={name}
        name={name}
        mine={edit.mine[name]}
        theirs={edit.theirs[name]}
        onChoose={(isTheirs) => edits.choose(name, isTheirs)}
      />
    );
  return (
    <>
      {names.map((name) => (
        <SettingControl
          key={name}
          name={name}
          settings={edit.mine}
          error={errors[name]}
          onChange={(change: Partial<NewWidget>) => edits.change(change)}
        >
          {dispute(name)}
          {name === 'vertical_align' && dispute('horizontal_align')}
        </SettingControl>
      ))}
    </>
  );
};

const StudioForm = ({ studio, edits, section }: { studio: Studied; edits: Edits; section: Section }) => {
  const t = widgetWords.value;
  const { path, route } = useLocation();
  const { edit } = studio;
  const goTo = (name: string | undefined) => {
    const wanted = FIELDS[name as SettingName]?.[0];
    if (wanted && wanted !== section) route(`${path}?section=${wanted}`, true);
  };
  const [isAsked, setAsked] = useState(false);
  const { onSubmit, isBusy, message, fields } = useForm(async () => {
    if (isDisputed(studio)) return setAsked(true);
    const saved = await edits.save();
    void readPeople();
    if (saved === 'disputed') setAsked(true);
    else if (saved !== 'gone') toast(saved === 'merged' ? t.merged : words.value.common.saved);
  });
  const disputed = Object.keys(edit.theirs);
  // To the first that is to be mended or decided, wherever it is.
  useLayoutEffect(() => goTo(Object.keys(fields)[0]), [fields]);
  useEffect(() => {
    if (!isAsked) return;
    setAsked(false);
    goTo(disputed[0]);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-dispute] button')?.focus());
  }, [isAsked]);
  const marked = new Set(
    [...Object.keys(fields), ...disputed].flatMap((name) => FIELDS[name as SettingName]?.[0] ?? []),
  );
  return (
    <form class={styles.form} onSubmit={onSubmit} noValidate>
      <Sections here={section} marked={marked} />
      <div class={styles.column}>
        <Panel>
          {disputed.length > 0 && <Notice kind="plain">{t.disputed}</Notice>}
          {t.sectionHints[section] && <p class={styles.hint}>{t.sectionHints[section]}</p>}
          {section === 'install' ? (
            <Install widget={studio.known.object} />
          ) : (
            <Fields names={fieldsOf(section)} edit={edit} errors={fields} edits={edits} />
          )}
          {section === 'site' && <Removal studio={studio} />}
        </Panel>
        <Notice>{message}</Notice>
        {hasChanges(edit) && (
          <div class={styles.actions}>
            <span>{t.changed}</span>
            <Button kind="quiet" onClick={edits.discard}>
              {t.discard}
            </Button>
            <Button type="submit" kind="primary" isBusy={isBusy}>
              {words.value.common.save}
            </Button>
          </div>
        )}
      </div>
    </form>
  );
};

/** One widget: all its settings beside the widget itself, how to install it, and where it is live. */
export const Studio = () => {
  const { params, query } = useRoute();
  const { uuid = '' } = params;
  return <StudioOf key={uuid} uuid={uuid} section={sectionOf(query.section)} />;
};

const StudioOf = ({ uuid, section }: { uuid: string; section: Section }) => {
  const t = widgetWords.value;
  const edits = useStudio(uuid);
  const { studio, load, look } = edits;
  const [isPreviewed, setPreviewed] = useState(false);
  useEffect(() => {
    const onSeen = () => {
      if (document.visibilityState === 'visible') void look().then((isNew) => isNew && toast(t.followed));
    };
    document.addEventListener('visibilitychange', onSeen);
    return () => document.removeEventListener('visibilitychange', onSeen);
  }, [uuid]);
  const isThere = typeof studio === 'object';
  return (
    <Page title={isThere ? widgetName(studio.edit.base) : t.title} isWide>
      <BackLink href="/console/widgets">{t.back}</BackLink>
      {studio === 'loading' && <p role="status">{words.value.common.loading}</p>}
      {studio === 'gone' && <Notice kind="plain">{t.gone}</Notice>}
      <Failed error={studio === 'failed' ? words.value.errors.page : ''} onRetry={() => void load()} />
      {isThere && (
        <div class={`${styles.studio} ${isPreviewed ? styles.previewed : ''}`}>
          <div class={styles.switch}>
            <Button aria-pressed={!isPreviewed} onClick={() => setPreviewed(false)}>
              {t.settings}
            </Button>
            <Button aria-pressed={isPreviewed} onClick={() => setPreviewed(true)}>
              {t.preview.title}
            </Button>
          </div>
          <StudioForm studio={studio} edits={edits} section={section} />
          <div class={styles.stage}>
            <Preview
              settings={showable(studio.edit.mine, studio.edit.base)}
              address={studio.edit.base.domain.replace(/^https?:\/\//, '') || 'www.example.com'}
            />
          </div>
        </div>
      )}
    </Page>
  );
};
