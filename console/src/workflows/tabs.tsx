import type { TargetedKeyboardEvent } from 'preact';
import { useRef } from 'preact/hooks';
import styles from './tabs.module.css';

/** Several panels of which one is seen: arrow keys go through their tabs. */
export const Tabs = <Name extends string>({
  label,
  id,
  tabs,
  chosen,
  onChoose,
}: {
  label: string;
  /** The panel's; the tabs' begin with it. */
  id: string;
  tabs: readonly (readonly [name: Name, label: string])[];
  chosen: Name;
  onChoose(name: Name): void;
}) => {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex(([name]) => name === chosen);
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl';
    const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[event.key];
    const next = step === undefined ? undefined : tabs.at((at + step) % tabs.length);
    if (!next) return;
    event.preventDefault();
    onChoose(next[0]);
    list.current?.querySelectorAll('button')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div ref={list} class={styles.tabs} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${id}-${name}`}
          aria-selected={name === chosen}
          aria-controls={id}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
};
