import type { NewWidget } from '@parlor/shared';

export type SettingName = keyof NewWidget;

/** The parts of the studio, in their order. The last has no settings: it is about the site's own pages. */
export const SECTIONS = ['appearance', 'texts', 'form', 'behaviour', 'site', 'install'] as const;
export type Section = (typeof SECTIONS)[number];

/** What a setting is changed by. `place` is one control for two: where the chat stands, down and across. */
export type Kind =
  | 'color'
  | 'switch'
  | 'place'
  | 'in place'
  | 'side'
  | 'text'
  | 'paragraph'
  | 'address'
  | 'number';

/** Every setting of the shared schema, in the order in which it is shown. A setting that is left out is a type error. */
export const FIELDS = {
  color: ['appearance', 'color'],
  vertical_align: ['appearance', 'place'],
  horizontal_align: ['appearance', 'in place'],
  use_new_button: ['appearance', 'switch'],
  logo_large: ['appearance', 'address'],
  is_show_bot_avatar: ['appearance', 'switch'],
  bot_avatar: ['appearance', 'address'],
  bot_message_position: ['appearance', 'side'],
  header_title: ['texts', 'text'],
  header_subtitle: ['texts', 'text'],
  chat_subtitle: ['texts', 'text'],
  greeting_message: ['texts', 'paragraph'],
  message_placeholder: ['texts', 'text'],
  start_button_caption: ['texts', 'text'],
  is_ask_name: ['form', 'switch'],
  is_ask_email: ['form', 'switch'],
  is_ask_phone: ['form', 'switch'],
  contact_message: ['form', 'paragraph'],
  name_placeholder: ['form', 'text'],
  email_placeholder: ['form', 'text'],
  phone_placeholder: ['form', 'text'],
  popup_timeout: ['behaviour', 'number'],
  is_bot_use: ['behaviour', 'switch'],
  domain: ['site', 'address'],
  name: ['site', 'text'],
} as const satisfies Record<SettingName, readonly [Section, Kind]>;

/** The settings of a section. */
export const fieldsOf = (section: Section): SettingName[] =>
  (Object.keys(FIELDS) as SettingName[]).filter((name) => FIELDS[name][0] === section);
