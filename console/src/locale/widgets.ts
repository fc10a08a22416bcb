import { wordsOf } from './locale.ts';
import { de } from './widgets.de.ts';
import { en, type WidgetWords } from './widgets.en.ts';

/** What the pages of widgets say. */
export const widgetWords = wordsOf<WidgetWords>({ en, de }, 'widgets');
