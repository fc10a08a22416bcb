import { fillWidgetTexts, type Locale } from '@parlor/shared';
import { LRUCache } from 'lru-cache';
import { type Representation, representationOf } from '../../http/single-object.ts';
import type { StoredWidget } from './widgets.model.ts';
import { presentWidget, type WidgetsService } from './widgets.service.ts';

/** How old a copy may be that is shown without asking the database. */
const MAX_AGE_MS = 1_000;

/** More widgets than these are in use at once on no server. */
const MAX_COPIES = 10_000;

/** A widget as the public sees it. */
export interface PublicWidget {
  account: string;
  /** Its uuid. */
  widget: string;
  domain: string;
  /** With its texts in that language; made once for each that is asked for. */
  in(locale: Locale): Representation;
  /** As its owner has stored it. */
  stored(): Representation;
}

const publicWidgetOf = (widget: StoredWidget): PublicWidget => {
  const shown = presentWidget(widget);
  const made = new Map<Locale, Representation>();
  return {
    account: widget.account,
    widget: widget._id,
    domain: widget.domain,
    in(locale) {
      const known = made.get(locale) ?? representationOf(shown, fillWidgetTexts(shown, locale));
      made.set(locale, known);
      return known;
    },
    stored: () => representationOf(shown),
  };
};

/**
 * What every page view of every customer's site asks for: copies of widgets, each at most a second old. A change
 * by this process shows at once, one by another process within that second. Unknown tokens are not kept.
 */
export class PublicWidgetCache {
  readonly #widgets: Pick<WidgetsService, 'byToken'>;
  readonly #copies = new LRUCache<string, PublicWidget>({ max: MAX_COPIES, ttl: MAX_AGE_MS });
  readonly #reading = new Map<string, Promise<PublicWidget | undefined>>();

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

  async #read(token: string): Promise<PublicWidget | undefined> {
    const widget = await this.#widgets.byToken(token);
    return widget && publicWidgetOf(widget);
  }
}
