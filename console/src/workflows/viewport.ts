/** A part of the graph, in its pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const MIN_ZOOM = 0.05;
const MAX_ZOOM = 2;

/** Beyond this a graph that is shown whole is not enlarged, and below it not made so small at first. */
const FIRST_ZOOM = 1;
const READABLE_ZOOM = 0.55;

const MARGIN = 24;

/** A press that moves farther than this moves the graph (pixels). */
const DRAG_FROM = 4;

/**
 * Which part of a graph is seen: moved by the pointer and the wheel, zoomed by two fingers and by the wheel with Ctrl.
 * It is set past the page's state, so that nothing is drawn anew for it.
 */
export class Viewport {
  readonly #svg: SVGSVGElement;
  readonly #content: SVGGElement;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #x = 0;
  #y = 0;
  #zoom = 1;
  #isDragged = false;
  /** Whether somebody has moved it: then it is left where it is. */
  isMoved = false;

  constructor(svg: SVGSVGElement, content: SVGGElement) {
    this.#svg = svg;
    this.#content = content;
    svg.addEventListener('wheel', this.#onWheel, { passive: false });
    svg.addEventListener('pointerdown', this.#onDown);
    svg.addEventListener('pointermove', this.#onMove);
    for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
      svg.addEventListener(name, this.#onUp);
    }
    svg.addEventListener('click', this.#onClick, { capture: true });
  }

  stop(): void {
    const svg = this.#svg;
    svg.removeEventListener('wheel', this.#onWheel);
    svg.removeEventListener('pointerdown', this.#onDown);
    svg.removeEventListener('pointermove', this.#onMove);
    for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
      svg.removeEventListener(name, this.#onUp);
    }
    svg.removeEventListener('click', this.#onClick, { capture: true });
  }

  /** Shows all of a graph. */
  fit({ width, height }: Pick<Box, 'width' | 'height'>): void {
    const room = this.#room();
    const zoom = Math.min(FIRST_ZOOM, (room.width - MARGIN) / width, (room.height - MARGIN) / height);
    this.#show(
      (room.width - width * zoom) / 2,
      Math.max(MARGIN / 2, (room.height - height * zoom) / 2),
      zoom,
    );
  }

  /** Shows a graph as it is opened: whole where it can be read then, else from a node on. */
  open(size: Pick<Box, 'width' | 'height'>, from: Box | undefined): void {
    this.fit(size);
    if (this.#zoom >= READABLE_ZOOM || !from) return;
    const room = this.#room();
    const zoom = READABLE_ZOOM + 0.2;
    this.#show(room.width / 2 - (from.x + from.width / 2) * zoom, MARGIN - from.y * zoom, zoom);
  }

  /** Moves as little as it takes to show a part. */
  reveal({ x, y, width, height }: Box): void {
    const room = this.#room();
    const zoom = Math.max(this.#zoom, READABLE_ZOOM);
    const into = (at: number, from: number, size: number, space: number): number => {
      if (from * zoom + at < MARGIN) return MARGIN - from * zoom;
      const end = (from + size) * zoom + at;
      return end > space - MARGIN ? at - (end - space + MARGIN) : at;
    };
    const isSeen =
      zoom === this.#zoom &&
      into(this.#x, x, width, room.width) === this.#x &&
      into(this.#y, y, height, room.height) === this.#y;
    if (isSeen) return;
    this.isMoved = true;
    if (zoom !== this.#zoom) {
      this.#show(room.width / 2 - (x + width / 2) * zoom, room.height / 2 - (y + height / 2) * zoom, zoom);
    } else this.#show(into(this.#x, x, width, room.width), into(this.#y, y, height, room.height), zoom);
  }

  /** Zooms around the middle, or around a point of the screen. */
  zoom(by: number, at?: { x: number; y: number }): void {
    const room = this.#room();
    const { x, y } = at ?? { x: room.width / 2, y: room.height / 2 };
    const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, this.#zoom * by));
    const factor = zoom / this.#zoom;
    this.isMoved = true;
    this.#show(x - (x - this.#x) * factor, y - (y - this.#y) * factor, zoom);
  }

  #room(): DOMRect {
    return this.#svg.getBoundingClientRect();
  }

  #show(x: number, y: number, zoom: number): void {
    this.#x = x;
    this.#y = y;
    this.#zoom = zoom;
    this.#content.setAttribute('transform', `translate(${x} ${y}) scale(${zoom})`);
  }

  #at({ clientX, clientY }: MouseEvent): { x: number; y: number } {
    const { left, top } = this.#room();
    return { x: clientX - left, y: clientY - top };
  }

  readonly #onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    // A pinch on a touch pad comes as a wheel with Ctrl.
    if (event.ctrlKey || event.metaKey) {
      this.zoom(Math.exp(-event.deltaY / 200), this.#at(event));
      return;
    }
    this.isMoved = true;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const [dx, dy] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
    this.#show(this.#x - dx * lines, this.#y - dy * lines, this.#zoom);
  };

  readonly #onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (this.#pointers.size === 0) this.#isDragged = false;
    this.#pointers.set(event.pointerId, this.#at(event));
  };

  readonly #onMove = (event: PointerEvent): void => {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = this.#at(event);
    const [other] = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    const moved = Math.hypot(now.x - before.x, now.y - before.y);
    if (!this.#isDragged && !other && moved < DRAG_FROM) return;
    if (!this.#isDragged) this.#svg.setPointerCapture(event.pointerId);
    this.#isDragged = true;
    this.isMoved = true;
    this.#pointers.set(event.pointerId, now);
    if (!other) {
      this.#show(this.#x + now.x - before.x, this.#y + now.y - before.y, this.#zoom);
      return;
    }
    const apart = Math.hypot(before.x - other.x, before.y - other.y) || 1;
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / apart, middle);
  };

  readonly #onUp = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
  };

  /** What was moved was not pressed. */
  readonly #onClick = (event: MouseEvent): void => {
    if (!this.#isDragged) return;
    event.stopPropagation();
    event.preventDefault();
    this.#isDragged = false;
  };
}
