import { z } from 'zod';
import { boolean, choice, integer, optionalText, optionalWebAddress, text, uuid } from './fields.ts';

const caption = (value: string) => optionalText(200, value);
const paragraph = (value: string) => optionalText(1_000, value);

/** A widget's settings (specification 2); the defaults make a good widget out of the box (contract 3). */
export const Widget = z
  .object({
    uuid: uuid(),
    token: z.string().meta({ readOnly: true, example: 'p3K9vX2mQ7rT5wYbN8cD4fHj' }),
    name: caption(''),
    domain: optionalWebAddress(2_000),
    greeting_message: paragraph('Hello! How can we help you?'),
    contact_message: paragraph('Tell us how to reach you, so that we can answer even when you have left.'),
    header_title: caption('Chat with us'),
    header_subtitle: caption('We usually answer within a few minutes'),
    chat_subtitle: caption(''),
    name_placeholder: caption('Your name'),
    email_placeholder: caption('Your e-mail address'),
    phone_placeholder: caption('Your phone number'),
    message_placeholder: caption('Write a message'),
    start_button_caption: caption('Start the chat'),
    is_ask_name: boolean().default(false),
    is_ask_email: boolean().default(false),
    is_ask_phone: boolean().default(false),
    logo_large: optionalWebAddress(2_000),
    bot_avatar: optionalWebAddress(2_000),
    bot_message_position: choice(['center', 'left', 'right']).default('left'),
    is_show_bot_avatar: boolean().default(true),
    use_new_button: boolean().default(false),
    color: text({ max: 9 })
      .regex(/^#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i, {
        error: 'Enter a valid CSS hex colour.',
      })
      .default('#2563eb'),
    vertical_align: choice(['center', 'top', 'bottom']).default('bottom'),
    horizontal_align: choice(['center', 'left', 'right']).default('right'),
    popup_timeout: integer({ min: 0, max: 86_400 }).default(0),
    is_bot_use: boolean().default(false),
  })
  .meta({ id: 'Widget' });
export type Widget = z.infer<typeof Widget>;

/** The fields of a widget that its owner writes. */
export const NewWidget = Widget.omit({ uuid: true, token: true }).meta({ id: 'NewWidget' });
export type NewWidget = z.infer<typeof NewWidget>;
