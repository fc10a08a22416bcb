import { isField } from './keys.ts';
import { loseField } from './stray-text.ts';

const CONTROL =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])';
const HEADING = 'h1, h2, h3';
/** One of several that are alike. */
const ROW = 'li, tr, fieldset, [data-node]';
/** What lies above the page: the focus goes back to where it came from. */
const LAYER = 'dialog, [data-layer]';
/** What has a heading of its own, or what is too large for its next control to be a neighbour. */
const REGION = 'section, aside, nav, main, dialog';

type Focusable = HTMLElement | SVGElement;

const isShown = (element: Element): boolean => element.getClientRects().length > 0;

/** @returns whether it took the focus */
const give = (element: Element | null | undefined): boolean => {
  if (!element?.isConnected || !isShown(element)) return false;
  if (!element.matches(`${CONTROL}, [tabindex]`)) element.setAttribute('tabindex', '-1');
  (element as Focusable).focus({ preventScroll: true });
  return document.activeElement === element;
};

const controlsIn = (element: Element): Element[] => [...element.querySelectorAll(CONTROL)].filter(isShown);

/** Where a node stood when it was taken out of the page. */
interface Gap {
  next: Node | null;
  previous: Node | null;
}

/**
 * Gives the focus to what is nearest where what had it goes: to what comes in its place, the next row, what opened the
 * dialog, or the heading. Without it the browser begins anew at the top of the page.
 */
class KeptFocus {
  #last: Element | undefined;
  /** What has the focus and what is around it, from the inside out; around a layer, what had it before. */
  #path: Element[] = [];
  readonly #gaps = new WeakMap<Node, Gap>();
  readonly #observer = new MutationObserver((records) => this.#look(records));

  start(): () => void {
    const onFocus = ({ target }: FocusEvent) => this.#enter(target as Element);
    const onBlur = ({ relatedTarget }: FocusEvent) => {
      // What is taken out of the page loses it, too, before it is out.
      if (!relatedTarget) queueMicrotask(() => this.#leave());
    };
    addEventListener('focusin', onFocus);
    addEventListener('focusout', onBlur);
    this.#observer.observe(document.body, { childList: true, subtree: true });
    if (document.activeElement && document.activeElement !== document.body)
      this.#enter(document.activeElement);
    return () => {
      removeEventListener('focusin', onFocus);
      removeEventListener('focusout', onBlur);
      this.#observer.disconnect();
    };
  }

  #enter(target: Element): void {
    const layer = target.closest(LAYER);
    const own: Element[] = [];
    for (let at: Element | null = target; at; at = at === layer ? null : at.parentElement) own.push(at);
    const at = layer ? this.#path.indexOf(layer) : -1;
    this.#path = layer ? [...own, ...this.#path.slice(at + 1)] : own;
    this.#last = target;
  }

  /** Who leaves it by a press beside it, or by Escape, wants it nowhere. */
  #leave(): void {
    this.#look(this.#observer.takeRecords());
    const isLeft = this.#last?.isConnected && document.activeElement === document.body;
    if (isLeft && document.hasFocus()) this.#forget();
  }

  #forget(): void {
    this.#last = undefined;
    this.#path = [];
  }

  #look(records: readonly MutationRecord[]): void {
    const removed = new Set<Node>();
    for (const { removedNodes, nextSibling, previousSibling } of records) {
      for (const node of removedNodes) {
        removed.add(node);
        this.#gaps.set(node, { next: nextSibling, previous: previousSibling });
      }
    }
    const last = this.#last;
    if (!last || !this.#path.some((one) => removed.has(one))) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    // It was moved.
    if (last.isConnected) return void give(last);
    const hadText = isField(last);
    if (hadText) loseField();
    const at = this.#path.findIndex((one) => one.isConnected);
    const path = this.#path;
    this.#forget();
    const gone = path[at - 1];
    const spot = path[at];
    // Where the whole page goes, the next one begins as it likes.
    if (!gone || !spot || spot === document.body || spot.parentElement === document.body) return;
    if (path[path.findIndex((one) => one.matches(LAYER)) + 1] === spot && give(spot)) return;
    const added = records
      .flatMap(({ addedNodes }) => [...addedNodes])
      .filter((node): node is Element => node instanceof Element && node.isConnected);
    void (
      (!hadText && this.#giveRow(last, gone, spot)) ||
      this.#giveAdded(added, spot, hadText) ||
      (!hadText && this.#giveNeighbour(gone, spot)) ||
      this.#giveAround(path.slice(at))
    );
  }

  /** The next element that is still there, else the one before. */
  #beside(gone: Node, way: keyof Gap): Element | undefined {
    let node: Node | null = this.#gaps.get(gone)?.[way] ?? null;
    while (node && !(node.isConnected && node instanceof Element)) {
      const sibling = way === 'next' ? node.nextSibling : node.previousSibling;
      node = node.isConnected ? sibling : (this.#gaps.get(node)?.[way] ?? null);
    }
    return node ?? undefined;
  }

  /** The same control of the next row; of a list with one entry for Tab, that one. */
  #giveRow(last: Element, gone: Element, spot: Element): boolean {
    if (!gone.matches(ROW)) return false;
    if (last.hasAttribute('tabindex') && give(spot.querySelector('[tabindex="0"]'))) return true;
    const place = [...gone.querySelectorAll(CONTROL)].indexOf(last);
    for (const way of ['next', 'previous'] as const) {
      let row = this.#beside(gone, way);
      for (; row; row = (way === 'next' ? row.nextElementSibling : row.previousElementSibling) ?? undefined) {
        if (row.tagName !== gone.tagName) continue;
        const controls = controlsIn(row);
        if (give(controls[Math.min(Math.max(place, 0), controls.length - 1)])) return true;
      }
    }
    return false;
  }

  /** What came in its place. In a dialog all of that is read out; elsewhere one goes on with its first control. */
  #giveAdded(added: readonly Element[], spot: Element, hadText: boolean): boolean {
    const region = spot.closest(REGION) ?? spot;
    for (const around of [spot, region]) {
      for (const one of added) {
        if (!around.contains(one) || !isShown(one)) continue;
        if (region.matches('dialog') && give(one)) return true;
        const heading = one.matches(HEADING) ? one : one.querySelector(HEADING);
        if (give(heading)) return true;
        if (!hadText && give(one.matches(CONTROL) ? one : controlsIn(one)[0])) return true;
      }
    }
    return false;
  }

  #giveNeighbour(gone: Element, spot: Element): boolean {
    // What stands beside a list has nothing to do with its rows.
    if (spot.matches(REGION) || gone.matches(`${ROW}, ul, ol, table`)) return false;
    const next = this.#beside(gone, 'next');
    const previous = this.#beside(gone, 'previous');
    const first = (one: Element) => (one.matches(CONTROL) ? one : controlsIn(one)[0]);
    const last = (one: Element) => (one.matches(CONTROL) ? one : controlsIn(one).at(-1));
    return (next !== undefined && give(first(next))) || (previous !== undefined && give(last(previous)));
  }

  /** What is around it and takes the focus itself, such as a list that is scrolled; else the heading. */
  #giveAround(around: readonly Element[]): boolean {
    for (const one of around) {
      if (one.matches(CONTROL) && give(one)) return true;
      if (one.matches(REGION) && give([...one.querySelectorAll(HEADING)].find(isShown))) return true;
    }
    return false;
  }
}

/** Keeps the focus in the page. @returns what ends it */
export const keepFocus = (): (() => void) => new KeptFocus().start();
