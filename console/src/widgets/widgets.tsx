import type { Sighting, Widget } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import { useReading } from '../api/use-reading.ts';
import { readPeople } from '../inbox/people.ts';
import { widgetWords } from '../locale/widgets.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Rows } from '../ui/listing.tsx';
import { removed } from '../ui/removal.ts';
import { AddWidget } from './add-widget.tsx';
import { LiveLine } from './live-state.tsx';
import { readAllSightings, siteOf } from './use-sightings.ts';
import { pathOf } from './use-studio.ts';
import { widgetName } from './widget-name.ts';
import styles from './widgets.module.css';

interface Loaded {
  widgets: readonly Widget[];
  /** By the widget's uuid. */
  sightings: ReadonlyMap<string, readonly Sighting[]>;
}

const read = async (): Promise<Loaded> => {
  const [widgets, sightings] = await Promise.all([
    ask<Widget[]>('GET', 'widgets/?limit=1000'),
    readAllSightings(),
  ]);
  return { widgets, sightings };
};

const Row = ({ widget, sightings }: { widget: Widget; sightings: readonly Sighting[] | undefined }) => {
  const t = widgetWords.value;
  const { uuid, domain, color } = widget;
  return (
    <li class={styles.row}>
      <a href={`/console/widgets/${uuid}`}>
        <svg class={styles.sign} viewBox="0 0 40 40" aria-hidden="true" style={{ '--color': color }}>
          <rect width="40" height="40" rx="20" />
          <path d="M16 28l-5.5 1.2 1.2-5.4A9.5 9.5 0 1 1 16 28Z" />
        </svg>
        <span class={styles.what}>
          <b dir="auto">{widgetName(widget)}</b>
          <span dir={domain ? 'ltr' : undefined}>{domain ? siteOf(domain) : t.everywhere}</span>
        </span>
        <LiveLine sightings={sightings} />
      </a>
    </li>
  );
};

/** The account's widgets, each with where it is live. */
export const Widgets = () => {
  const t = widgetWords.value;
  const { route } = useLocation();
  const { value, error, refresh } = useReading(read);
  const [isAdding, setAdding] = useState(false);
  const shown = value?.widgets.filter((one) => !removed.value.has(pathOf(one)));
  return (
    <>
      <ListPage
        texts={t}
        add={t.add}
        onAdd={() => setAdding(true)}
        items={shown}
        error={error}
        onRetry={refresh}
      >
        <Rows label={t.title}>
          {shown?.map((one) => (
            <Row key={one.uuid} widget={one} sightings={value?.sightings.get(one.uuid)} />
          ))}
        </Rows>
      </ListPage>
      {isAdding && (
        <AddWidget
          onClose={() => setAdding(false)}
          onAdded={({ uuid }) => {
            void readPeople();
            route(`/console/widgets/${uuid}`);
          }}
        />
      )}
    </>
  );
};
