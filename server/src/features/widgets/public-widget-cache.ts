import { fillWidgetTexts, type Locale } from '@parlor/shared';
import { LRUCache } from 'lru-cache';
import { type Representation, representationOf } from '../../http/single-object.ts';
import type { StoredWidget } from './widgets.model.ts';
import { presentWidget, type WidgetsService } from './widgets.service.ts';

/** How old a copy may be that is shown without asking the database. */
const MAX_AGE_MS = 1_000;

/** How much of copies is kept, and of their texts in the languages asked for, in UTF-16 code units of JSON. */
const MAX_COPIES_LENGTH = 8 * 1_048_576;
const MAX_TEXTS_LENGTH = 8 * 1_048_576;

/** What a copy takes beside its text. */
const COPY_LENGTH = 1_000;

/** A widget as the public sees it. */
export interface PublicWidget {
  account: string;
  /** Its uuid. */
  widget: string;
  domain: string;
  /** With its texts in that language; made once for each that is asked for, while there is room. */
  in(locale: Locale): Representation;
  /** As its owner has stored it. */
  stored(): Representation;
}

/** A copy of a widget, and how long it is. */
interface Copy extends PublicWidget {
  length: number;
}

/**
 * What every page view of every customer's site asks for: copies of widgets, each at most a second old. A change
 * by this process shows at once, one by another process within that second. Unknown tokens are not kept.
 */
export class PublicWidgetCache {
  readonly #widgets: Pick<WidgetsService, 'byToken'>;
  readonly #copies = new LRUCache<string, Copy>({
    maxSize: MAX_COPIES_LENGTH,
    sizeCalculation: ({ length }) => length,
    ttl: MAX_AGE_MS,
  });
  /** By copy and language; those of copies that are gone are pushed out by others. */
  readonly #texts = new LRUCache<string, Representation>({
    maxSize: MAX_TEXTS_LENGTH,
    sizeCalculation: ({ body }) => body.length + COPY_LENGTH,
  });
  #copied = 0;
  readonly #reading = new Map<string, Promise<Copy | undefined>>();

  constructor(widgets: Pick<WidgetsService, 'byToken' | 'onChange'>) {
    this.#widgets = widgets;
    widgets.onChange((token) => {
      this.#copies.delete(token);
      // What is being read may be from before the change: it is given to those who wait, and not kept.
      this.#reading.delete(token);
    });
  }

  /** The widget of that token; read once for all who ask at the same time. */
  async byToken(token: string): Promise<PublicWidget | undefined> {
    const known = this.#copies.get(token);
    if (known) return known;
    const running = this.#reading.get(token);
    if (running) return running;
    const read = performance.now();
    const reading = this.#read(token).then(
      (widget) => {
        if (this.#reading.get(token) === reading) {
          this.#reading.delete(token);
          if (widget) this.#copies.set(token, widget, { start: read });
        }
        return widget;
      },
      (error) => {
        if (this.#reading.get(token) === reading) this.#reading.delete(token);
        throw error;
      },
    );
    this.#reading.set(token, reading);
    return reading;
  }

  async #read(token: string): Promise<Copy | undefined> {
    const widget = await this.#widgets.byToken(token);
    return widget && this.#copyOf(widget);
  }

  #copyOf(widget: StoredWidget): Copy {
    const shown = presentWidget(widget);
    const copy = this.#copied++;
    return {
      account: widget.account,
      widget: widget._id,
      domain: widget.domain,
      length: JSON.stringify(shown).length + COPY_LENGTH,
      in: (locale) => {
        const key = `${copy} ${locale}`;
        const known = this.#texts.get(key);
        if (known) return known;
        const made = representationOf(shown, fillWidgetTexts(shown, locale));
        this.#texts.set(key, made);
        return made;
      },
      stored: () => representationOf(shown),
    };
  }
}
