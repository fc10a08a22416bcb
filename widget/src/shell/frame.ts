import type { Host } from '../contract/host.ts';
import { adopt } from '../view/style.ts';
import css from './shell.css?inline';

/** Makes ready what launcher and window share; gives the element that the window is drawn into. */
export function prepareFrame({ widget, root, frame, scheme }: Host): HTMLElement {
  adopt(root, css);
  // Nothing said: inherited from the page, and from the system only where the page follows it.
  frame.style.colorScheme = scheme ?? '';
  // The shade is the ink's opposite: mixed into the fill it only ever raises their contrast.
  const ink = frame.style.getPropertyValue('--c1');
  frame.style.setProperty('--c2', ink === '#000' ? '#fff' : '#000');
  frame.dataset.v = widget.vertical_align;
  frame.dataset.h = widget.horizontal_align;
  frame.dataset.side = widget.bot_message_position;
  const room = document.createElement('div');
  room.className = 'room';
  frame.append(room);
  // The page's own keyboard shortcuts are not for what is typed here.
  for (const type of ['keydown', 'keyup', 'keypress'])
    root.addEventListener(type, (event) => event.stopPropagation());
  return room;
}
