import { z } from 'zod';
import { boolean, choice, integer, optionalText, optionalWebAddress, text, uuid } from './fields.ts';

const caption = () => optionalText(200);
const paragraph = () => optionalText(1_000);

/** Says of a text what stands in its place while it is empty. */
const localized = <T extends z.ZodType>(schema: T, what: string) =>
  schema.meta({
    description: `${what}. Empty: Parlor's own text in the visitor's language. White space alone: nothing.`,
  });

/** A widget's settings (specification 2); the defaults make a good widget out of the box. */
export const Widget = z
  .object({
    uuid: uuid(),
    token: z.string().meta({ readOnly: true, example: 'p3K9vX2mQ7rT5wYbN8cD4fHj' }),
    name: caption(),
    domain: optionalWebAddress(2_000),
    greeting_message: localized(paragraph(), 'The first bubble, and the teaser beside the launcher'),
    contact_message: localized(paragraph(), 'Above the form'),
    header_title: localized(caption(), 'Top of the window'),
    header_subtitle: localized(caption(), 'Under the title'),
    chat_subtitle: caption(),
    name_placeholder: localized(caption(), "Name of the form's name field"),
    email_placeholder: localized(caption(), "Name of the form's e-mail field"),
    phone_placeholder: localized(caption(), "Name of the form's phone field"),
    message_placeholder: localized(caption(), 'In the empty text field'),
    start_button_caption: localized(caption(), "The form's button, and the launcher's name"),
    is_ask_name: boolean().default(false),
    is_ask_email: boolean().default(false),
    is_ask_phone: boolean().default(false),
    logo_large: optionalWebAddress(2_000),
    bot_avatar: optionalWebAddress(2_000),
    bot_message_position: choice(['center', 'left', 'right']).default('left'),
    is_show_bot_avatar: boolean().default(true),
    use_new_button: boolean().default(false),
    color: text({ max: 9 })
      .regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/, {
        error: 'Enter a valid CSS hex colour.',
      })
      .default('#2563eb'),
    vertical_align: choice(['center', 'top', 'bottom']).default('bottom'),
    horizontal_align: choice(['center', 'left', 'right']).default('right'),
    popup_timeout: integer({ min: 0, max: 86_400 })
      .default(0)
      .meta({ description: 'Until the teaser shows, in seconds; 0: never.', 'x-unit': 's' }),
    is_bot_use: boolean().default(false),
  })
  .meta({ id: 'Widget' });
export type Widget = z.infer<typeof Widget>;

/** The fields of a widget that its owner writes. */
export const NewWidget = Widget.omit({ uuid: true, token: true }).meta({ id: 'NewWidget' });
export type NewWidget = z.infer<typeof NewWidget>;
