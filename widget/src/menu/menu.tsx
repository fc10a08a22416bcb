import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../view/icons.tsx';
import type { Ui } from '../view/ui.ts';
import { erase } from './erase.ts';
import css from './menu.css?inline';

export { texts } from '../locale/en/menu.ts';
export { css };

const STAR = 'm12 4 2.5 5.1 5.6.8-4.1 4 1 5.6-5-2.7-5 2.7 1-5.6-4.1-4 5.6-.8Z';
const QUIET = 'M5 10v4h3l4 4V6l-4 4ZM16 10l4 4m0-4-4 4';
const LOUD = 'M5 10v4h3l4 4V6l-4 4ZM15.5 9.5a4 4 0 0 1 0 5M18 7a8 8 0 0 1 0 10';
const BIN = 'M5 7.5h14M10 7V5h4v2M7 7.5 8 19h8l1-11.5';

/** What is seldom wanted: sound on and off, stars for the conversation, all data deleted. */
export function Menu({ ui }: { ui: Ui }) {
  const { conversation } = ui;
  const t = ui.texts.value;
  const element = useRef<HTMLDivElement>(null);
  const quiet = useSignal(!!conversation.store.get('quiet'));
  const page = useSignal<'' | 'rate' | 'erase'>('');
  const trouble = useSignal('');
  const rating = ui.thread.value?.stars() ?? 0;

  useEffect(() => element.current?.querySelector<HTMLElement>('button')?.focus(), [page.value]);

  // A click anywhere else means something else.
  useEffect(() => {
    const inside = element.current?.parentElement as HTMLElement;
    const leave = (event: Event) => {
      if (!event.composedPath().includes(inside)) ui.menu.value = false;
    };
    addEventListener('pointerdown', leave);
    return () => removeEventListener('pointerdown', leave);
  }, []);

  const attempt = (task: () => Promise<void>) => {
    trouble.value = '';
    task().catch(() => {
      trouble.value = t.notDone;
    });
  };

  return (
    <div class="menu" ref={element}>
      {page.value === 'rate' ? (
        <fieldset class="stars">
          <legend>{rating ? t.thanks : t.rate}</legend>
          {[1, 2, 3, 4, 5].map((stars) => (
            <button
              type="button"
              key={stars}
              class={stars <= rating ? 'star on' : 'star'}
              aria-pressed={stars === rating}
              aria-label={`${t.stars}: ${stars}`}
              onClick={() => attempt(async () => ui.thread.value?.rate(stars))}
            >
              <Icon path={STAR} />
            </button>
          ))}
        </fieldset>
      ) : page.value === 'erase' ? (
        <div class="sure">
          <p>{t.eraseAsk}</p>
          <button type="button" onClick={() => (page.value = '')}>
            {t.cancel}
          </button>
          <button type="button" class="danger" onClick={() => attempt(() => erase(ui))}>
            {t.eraseYes}
          </button>
        </div>
      ) : (
        <>
          {ui.thread.value && (
            <button type="button" onClick={() => (page.value = 'rate')}>
              <Icon path={STAR} />
              {t.rate}
            </button>
          )}
          <button
            type="button"
            onClick={() => {
              quiet.value = !quiet.value;
              conversation.store.set('quiet', quiet.value);
            }}
          >
            <Icon path={quiet.value ? LOUD : QUIET} />
            {quiet.value ? t.soundOn : t.soundOff}
          </button>
          <button type="button" onClick={() => (page.value = 'erase')}>
            <Icon path={BIN} />
            {t.erase}
          </button>
        </>
      )}
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
    </div>
  );
}
