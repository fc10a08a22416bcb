import type { Widget } from '../contract/server.ts';
import css from './launcher.css?inline';

export const make = (tag: string): HTMLElement => document.createElement(tag);
const draw = (parent: Element, tag: string, name: string, value: string): Element => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  element.setAttribute(name, value);
  return parent.appendChild(element);
};

/** Draws the launcher as the owner wants it; gives the element in the shadow root that it stands in. */
export const drawLauncher = (root: ShadowRoot, launcher: HTMLElement, widget: Widget): HTMLElement => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  const frame = make('section');
  frame.className = 'parlor';

  launcher.className = 'launcher';
  frame.ariaLabel = launcher.ariaLabel = widget.start_button_caption;
  // All margins are `auto`; the one without leaves it at that edge, and `margin-center` means nothing.
  for (const place of [widget.vertical_align, widget.horizontal_align])
    launcher.style[`margin-${place}` as 'margin'] = '0';
  draw(
    draw(launcher, 'svg', 'viewBox', '0 0 24 24'),
    'path',
    'd',
    'M8 19.5l-4.5 1 1-4.5A8.5 8.5 0 1 1 8 19.5Z',
  );
  if (widget.use_new_button) launcher.appendChild(make('bdi')).textContent = widget.start_button_caption;
  root.appendChild(frame).append(launcher);
  return frame;
};
