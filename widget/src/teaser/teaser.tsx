import { Icon, PATHS } from '../view/icons.tsx';
import type { Ui } from '../view/ui.ts';
import css from './teaser.css?inline';

export { css };

/** What stands beside the closed launcher: the greeting, or what was said meanwhile. */
export function Teaser({ ui }: { ui: Ui }) {
  return (
    <div class="teaser float" role="status">
      <button type="button" class="teaser-text" onClick={() => ui.toggle(true)} dir="auto">
        {ui.teaser.value}
      </button>
      <button
        type="button"
        class="tool"
        aria-label={ui.texts.value.dismiss}
        onClick={() => {
          ui.teaser.value = '';
        }}
      >
        <Icon path={PATHS.close} />
      </button>
    </div>
  );
}
