import type { NewWidget } from '@parlor/shared';

/** The settings that go with the demo's shop: its first sight, and what the panel returns to. */
export const SHOP: Partial<NewWidget> = {
  name: 'Lantern Row, website',
  color: '#a8482b',
  header_title: 'Lantern Row',
  header_subtitle: 'Ask us anything about our lamps',
  chat_subtitle: 'Ida and Tom are at the bench',
  greeting_message: 'Good evening! Are you looking for a lamp, or is one in need of mending?',
  start_button_caption: 'Ask the workshop',
  use_new_button: true,
  popup_timeout: 4,
};
