import type { Widget } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { widgetWords } from '../locale/widgets.ts';
import { Copyable } from '../ui/copyable.tsx';
import { Choice } from './choice.tsx';
import styles from './install.module.css';
import { installCode, policyFor, WAYS, type Way } from './install-code.ts';
import { LiveState } from './live-state.tsx';
import { useSightings } from './use-sightings.ts';

/** How to put a widget on a site, and whether it is there. */
export const Install = ({ widget: { uuid, token, domain } }: { widget: Widget }) => {
  const { install: t, live } = widgetWords.value;
  const [way, setWay] = useState<Way>('html');
  return (
    <>
      <h2>{live.title}</h2>
      <LiveState {...useSightings(uuid)} domain={domain} />
      <h2>{t.title}</h2>
      <Choice
        label={t.how}
        name="way"
        isLabelHidden
        value={way}
        options={WAYS.map((one) => [one, t.ways[one]] as const)}
        onChange={(one) => setWay(one)}
      />
      <p>{t.steps[way]}</p>
      <Copyable isCode key={way} label={t.tag} text={installCode(way, location.origin, token)} />
      <div>
        <Copyable isCode label={t.policy} text={policyFor(location.origin)} />
        <p class={styles.hint}>{t.policyHint}</p>
      </div>
    </>
  );
};
