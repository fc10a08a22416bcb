import { effect } from '@preact/signals';
import { PATHS } from '../view/icons.tsx';
import type { Ui } from '../view/ui.ts';

/** Shows on the launcher whether the window is open; gives what ends that. */
export function followLauncher(ui: Ui): () => void {
  const { frame, launcher } = ui.host;
  const pill = launcher.querySelector('bdi');
  // As it was drawn: its icon stays at its side, whichever way the chat is written.
  if (pill) launcher.dir = getComputedStyle(launcher).direction;
  const icon = launcher.querySelector('path') as SVGElement;
  const closed = icon.getAttribute('d') as string;
  return effect(() => {
    const open = ui.open.value;
    frame.toggleAttribute('data-open', open);
    launcher.ariaExpanded = `${open}`;
    const caption = ui.caption();
    frame.ariaLabel = launcher.ariaLabel = caption;
    if (pill) pill.textContent = caption;
    icon.setAttribute('d', open ? PATHS.down : closed);
  });
}
