import { texts as chat } from './en/chat.ts';
import { texts as form } from './en/form.ts';
import { texts as menu } from './en/menu.ts';
import { texts as talk } from './en/messages.ts';

/** The widget's own texts; every other language has the same keys. The owner's texts come first. English lies
 *  in several files, so that each part of the widget brings what it says along. */
export const en = { ...chat, ...form, ...menu, ...talk };

export type Texts = typeof en;
