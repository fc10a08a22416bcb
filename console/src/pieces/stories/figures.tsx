import { BarTable } from '../../reports/bar-table.tsx';
import { DaysChart } from '../../reports/days-chart.tsx';
import { Figure } from '../../reports/figures.tsx';
import { StateDot } from '../../webhooks/state-dot.tsx';
import { LiveLine } from '../../widgets/live-state.tsx';
import styles from '../pieces.module.css';
import { LONG, minutesAgo, UUIDS } from '../samples.ts';
import { Piece, State } from '../state.tsx';

const sighting = (lastSeenMinutes: number) => ({
  uuid: UUIDS.room,
  widget: UUIDS.room,
  origin: 'https://shop.example.com',
  first_seen_at: minutesAgo(90_000),
  last_seen_at: minutesAgo(lastSeenMinutes),
});

const DAYS = [3, 5, 2, 8, 13, 4, 1, 6, 9, 7, 12, 16, 5, 2].map((total, n) => ({
  key: `2026-11-${String(n + 1).padStart(2, '0')}`,
  total,
}));

/** What counts, and what tells how something is doing. */
export const Figures = () => (
  <>
    <Piece name="Figure" about="A number that stands for all the days.">
      <State label="idle">
        <dl>
          <Figure label="Leads" value="93" note="12% more than before" />
        </dl>
      </State>
    </Piece>
    <Piece name="DaysChart" about="Numbers over time; a table for whoever does not see them.">
      <State label="two weeks" size="wide">
        <DaysChart title="Leads a day" counted="Leads" periods={DAYS} />
      </State>
    </Piece>
    <Piece name="BarTable" about="Numbers by page, referrer or device.">
      <State label="idle">
        <BarTable
          caption="By page"
          column="Page"
          counted="Leads"
          rows={[
            { key: 'a', label: 'shop.example.com/lamps', total: 41 },
            { key: 'b', label: LONG, total: 12 },
            { key: 'c', label: 'not known', total: 3, isMinor: true },
          ]}
        />
      </State>
    </Piece>
    <Piece name="StateDot" about="Beside the words that say the same.">
      <State label="delivered, failed, under way, nothing">
        <span class={styles.line}>
          <StateDot state="delivered" />
          <StateDot state="failed" />
          <StateDot state="pending" />
          <StateDot state={undefined} />
        </span>
      </State>
    </Piece>
    <Piece name="LiveLine" about="Where a widget is live, or that it is not.">
      <State label="live">
        <LiveLine sightings={[sighting(1)]} />
      </State>
      <State label="quiet">
        <LiveLine sightings={[sighting(60_000)]} />
      </State>
      <State label="never seen">
        <LiveLine sightings={[]} />
      </State>
    </Piece>
  </>
);
