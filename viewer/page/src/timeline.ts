// The timeline: a band for each location, in which each column of pixels shows the shares of regions in its time.

import { type Colouring, css, inkOn, pixel, property } from './colours.ts';
import { element, shortened, table } from './dom.ts';
import type { Location } from './data.ts';
import type { Detailed } from './details.ts';
import type { Levels, Range } from './levels.ts';
import { type Message, type Stretch, stretches } from './near.ts';
import { type Note, showNote } from './note.ts';
import { paint } from './picture.ts';
import { type State, within, zoomed } from './state.ts';
import { duration, niceStep, percent, size, time } from './units.ts';

const AXIS = 22;
const MARGIN = 110;
const [LEAST_HEIGHT, MOST_HEIGHT] = [4, 64];

/** Changes the state of the page; a change that `isLasting` becomes a step of the browser's history. */
export type Change = (part: Partial<State>, isLasting: boolean) => void;

/** The greatest number of regions that a note lists. */
const MOST_LISTED = 6;

/** The narrowest stretch that has the name of its region, and the least height of its band, in pixels. */
const [LEAST_NAMED, LEAST_NAMED_BAND] = [24, 11];
/** The narrowest stretch that has an edge. */
const LEAST_EDGED = 4;
/** The greatest number of messages that are drawn. */
const MOST_MESSAGES = 300;
/** The greatest distance of a message from the pointer, in pixels. */
const NEAR = 5;

/** What the timeline shows. */
export interface Shown {
  levels: Levels;
  /** What is known of single calls and messages; null if the page has none. */
  details: Detailed | null;
  locations: Location[];
  /** The length of the run in nanoseconds. */
  span: number;
  colouring: Colouring;
}

/** Where the pointer is. */
type Pointer = Pick<PointerEvent, 'clientX' | 'clientY' | 'offsetX' | 'offsetY'>;

/** The parts of a drag. */
interface Drag {
  isPan: boolean;
  x: number;
  shown: Range;
}

export class Timeline {
  readonly #frame: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #space: HTMLElement;
  readonly #levels: Levels;
  readonly #details: Detailed | null;
  readonly #locations: Location[];
  readonly #span: number;
  readonly #colouring: Colouring;
  readonly #change: Change;
  #state: State;
  #drag: Drag | null = null;
  /** The pointer over the picture, whose note changes when more is known. */
  #pointer: Pointer | null = null;
  #frameRequest = 0;
  #sums = new Float32Array(0);

  constructor(frame: HTMLElement, shown: Shown, state: State, change: Change) {
    this.#frame = frame;
    this.#levels = shown.levels;
    this.#details = shown.details;
    this.#locations = shown.locations;
    this.#span = shown.span;
    this.#colouring = shown.colouring;
    this.#state = state;
    this.#change = change;
    this.#canvas = document.createElement('canvas');
    this.#canvas.tabIndex = 0;
    this.#canvas.setAttribute('role', 'img');
    this.#space = document.createElement('div');
    frame.append(this.#canvas, this.#space);
    new ResizeObserver(() => this.redraw()).observe(frame);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    frame.addEventListener('scroll', () => this.redraw());
    this.#listen();
  }

  /** Shows another state. */
  show(state: State): void {
    this.#state = state;
    this.redraw();
  }

  /** Draws at the next frame. */
  redraw(): void {
    cancelAnimationFrame(this.#frameRequest);
    this.#frameRequest = requestAnimationFrame(() => this.#draw());
  }

  get #width(): number {
    return Math.max(1, this.#frame.clientWidth - MARGIN);
  }

  /** The height of a band in pixels of CSS. */
  get #band(): number {
    const room = (this.#frame.clientHeight - AXIS) / Math.max(1, this.#locations.length);
    return Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, Math.floor(room)));
  }

  #timeAt(x: number): number {
    const { begin, end } = this.#state.shown;
    return begin + ((x - MARGIN) / this.#width) * (end - begin);
  }

  #xOf(time: number): number {
    const { begin, end } = this.#state.shown;
    return MARGIN + ((time - begin) / (end - begin)) * this.#width;
  }

  #locationAt(y: number): number | null {
    const location = Math.floor((y - AXIS + this.#frame.scrollTop) / this.#band);
    return y >= AXIS && location < this.#locations.length ? location : null;
  }

  #draw(): void {
    const begin = performance.now();
    const { clientWidth: width, clientHeight: height } = this.#frame;
    const [canvas, band] = [this.#canvas, this.#band];
    this.#space.style.height = `${Math.max(0, AXIS + band * this.#locations.length - height)}px`;
    const visible = this.#visible(band);
    this.#want(visible, Math.round(this.#width * devicePixelRatio));
    paint(canvas, width, height, context => {
      context.fillStyle = property('--ground');
      context.fillRect(0, 0, width, height);
      this.#drawBands(context, devicePixelRatio, band, visible);
      this.#drawCalls(context, band, visible);
      this.#drawMessages(context, band, height);
      context.fillStyle = property('--ground');
      context.fillRect(0, 0, width, AXIS);
      this.#drawLabels(context, band, height);
      this.#drawAxis(context, width, height);
      this.#drawSelection(context, height);
    });
    const { shown } = this.#state;
    const step = (shown.end - shown.begin) / 1000;
    canvas.setAttribute(
      'aria-label',
      `Timeline of ${this.#locations.length} locations from ${time(shown.begin, step)} to ${time(shown.end, step)}`,
    );
    if (this.#pointer && !this.#drag) this.#hover(this.#pointer);
    canvas.dataset.isComplete = `${!this.#details?.isAsking}`;
    canvas.dataset.milliseconds = (performance.now() - begin).toFixed(1);
  }

  /** Returns the locations whose bands are in the frame. */
  #visible(band: number): number[] {
    const first = Math.floor(this.#frame.scrollTop / band);
    const room = this.#frame.clientHeight - AXIS;
    const end = Math.min(this.#locations.length, first + Math.ceil(room / band) + 1);
    return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  }

  /** Asks for details if the buckets of the whole run are longer than a pixel. */
  #want(visible: number[], columns: number): void {
    const { shown } = this.#state;
    const of = (shown.end - shown.begin) / columns;
    if (this.#levels.finest > of) this.#details?.want(shown, visible, columns);
    else this.#details?.forget();
  }

  #drawBands(context: CanvasRenderingContext2D, ratio: number, band: number, visible: number[]): void {
    const { colours, of } = this.#colouring;
    const columns = Math.round(this.#width * ratio);
    const gap = band >= 8 ? 1 : 0;
    const rows = Math.max(1, Math.round((band - gap) * ratio));
    const pixels = this.#pixels();
    const bands = element('canvas', { width: `${columns}`, height: `${Math.max(1, Math.round(this.#frame.clientHeight * ratio))}` });
    const pixelsOf = bands.getContext('2d')!;
    const image = new ImageData(columns, rows);
    const data = new Uint32Array(image.data.buffer);
    const ground = pixel(property('--ground'));
    // From the bottom: the region with the most time in the run comes first, the other regions last.
    const order = [...colours.keys()].slice(2).concat(1);
    if (this.#sums.length < columns * colours.length) {
      this.#sums = new Float32Array(columns * colours.length);
    }
    for (const location of visible) {
      const sums = this.#sums.fill(0, 0, columns * colours.length);
      this.#levels.addTimes(location, this.#state.shown, columns, of, colours.length, sums);
      data.fill(ground);
      for (let column = 0; column < columns; column++) {
        let [sum, row] = [0, rows];
        for (const colour of order) {
          sum += sums[column * colours.length + colour]!;
          const top = Math.max(0, rows - Math.round(Math.min(1, sum) * rows));
          while (row > top) data[--row * columns + column] = pixels[colour]!;
        }
      }
      const y = AXIS + location * band - this.#frame.scrollTop;
      pixelsOf.putImageData(image, 0, Math.round(y * ratio));
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(bands, MARGIN, 0, bands.width / ratio, bands.height / ratio);
  }

  /** Returns the pixel of each colour; those of regions that are not emphasised are muted. */
  #pixels(): number[] {
    const { region } = this.#state;
    return this.#colouring.colours.map(({ title, property: name }) => {
      const [own, ground] = [property(name), property('--grid')];
      return pixel(!region || title === region ? own : `color-mix(in srgb, ${own} 18%, ${ground})`);
    });
  }

  /** Returns the middle of the band of a location. */
  #middle(location: number, band: number): number {
    return AXIS + (location + 0.5) * band - this.#frame.scrollTop;
  }

  /** Draws single calls, and the names of their regions. */
  #drawCalls(context: CanvasRenderingContext2D, band: number, visible: number[]): void {
    if (band < LEAST_NAMED_BAND) return;
    context.font = '11px sans-serif';
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    const pixels = this.#pixels();
    for (const location of visible) {
      const calls = this.#details?.calls(location, this.#state.shown);
      if (!calls) continue;
      for (const stretch of stretches(calls.of(location))) this.#drawCall(context, stretch, location, band, pixels);
    }
  }

  #drawCall(context: CanvasRenderingContext2D, { begin, end, call }: Stretch, location: number, band: number, pixels: number[]): void {
    const left = Math.max(MARGIN, this.#xOf(begin));
    const right = Math.min(MARGIN + this.#width, this.#xOf(end));
    if (right - left < LEAST_EDGED) return;
    const middle = this.#middle(location, band);
    const colour = pixels[this.#colouring.of[call.place]!]!;
    const edge = left > MARGIN ? 1 : 0;
    context.fillStyle = css(colour);
    context.fillRect(left + edge, middle - band / 2, right - left - edge, band - 1);
    if (right - left < LEAST_NAMED) return;
    context.fillStyle = inkOn(colour);
    const room = Math.floor((right - left - 6) / 6);
    if (room > 1) context.fillText(shortened(this.#levels.name(call.place), room), left + 4, middle, right - left - 6);
  }

  /** Returns the messages that begin or end in the picture, with the pixels of their ends; none if there are too many. */
  #lines(band: number): [message: Message, from: [number, number], to: [number, number]][] {
    const isShown = (x: number) => x >= MARGIN && x <= MARGIN + this.#width;
    const messages = this.#details?.messages(this.#state.shown) ?? [];
    const shown = messages.filter(({ sent, received }) => isShown(this.#xOf(sent)) || isShown(this.#xOf(received)));
    if (shown.length > MOST_MESSAGES) return [];
    return shown.map(message => [
      message,
      [this.#xOf(message.sent), this.#middle(message.sender, band)],
      [this.#xOf(message.received), this.#middle(message.receiver, band)],
    ]);
  }

  #drawMessages(context: CanvasRenderingContext2D, band: number, height: number): void {
    context.save();
    context.beginPath();
    context.rect(MARGIN, AXIS, this.#width, height - AXIS);
    context.clip();
    context.strokeStyle = context.fillStyle = property('--strong');
    context.globalAlpha = 0.75;
    context.beginPath();
    for (const [, from, to] of this.#lines(band)) {
      context.moveTo(...from);
      context.lineTo(...to);
      context.moveTo(to[0] + 2, to[1]);
      context.arc(to[0], to[1], 2, 0, 2 * Math.PI);
    }
    context.stroke();
    context.restore();
  }

  /** Returns the message that is drawn at a place. */
  #messageAt(x: number, y: number): Message | null {
    let [found, least]: [Message | null, number] = [null, NEAR];
    for (const [message, from, to] of this.#lines(this.#band)) {
      const distance = distanceTo([x, y], from, to);
      if (distance < least) [found, least] = [message, distance];
    }
    return found;
  }

  #drawLabels(context: CanvasRenderingContext2D, band: number, height: number): void {
    context.font = '11px sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    const every = Math.ceil(13 / band);
    for (const [index, { label, name }] of this.#locations.entries()) {
      const y = AXIS + (index + 0.5) * band - this.#frame.scrollTop;
      const isChosen = index === this.#state.location;
      if (y < AXIS || y > height || (index % every !== 0 && !isChosen)) continue;
      context.fillStyle = property(isChosen ? '--mark' : '--ink');
      context.fillText(shortened(label, 16), MARGIN - 6, y);
      const room = 16 - label.length;
      if (room < 6) continue;
      context.fillStyle = property('--soft');
      context.fillText(shortened(name, room), MARGIN - 12 - context.measureText(label).width, y);
    }
  }

  #drawAxis(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { begin, end } = this.#state.shown;
    const step = niceStep(end - begin, this.#width / 110);
    context.fillStyle = property('--soft');
    context.strokeStyle = property('--grid');
    context.textAlign = 'left';
    for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
      const x = Math.round(this.#xOf(at)) + 0.5;
      context.beginPath();
      context.moveTo(x, AXIS - 6);
      context.lineTo(x, Math.min(height, AXIS));
      context.stroke();
      if (x + 60 < width) context.fillText(time(at, step), x + 3, AXIS / 2);
    }
  }

  #drawSelection(context: CanvasRenderingContext2D, height: number): void {
    const { selected } = this.#state;
    if (!selected) return;
    const [from, to] = [this.#xOf(selected.begin), this.#xOf(selected.end)];
    const left = Math.max(MARGIN, from);
    const right = Math.min(MARGIN + this.#width, to);
    if (left >= right) return;
    context.strokeStyle = context.fillStyle = property('--mark');
    context.globalAlpha = 0.16;
    context.fillRect(left, AXIS, right - left, height - AXIS);
    context.globalAlpha = 1;
    context.strokeRect(left + 0.5, AXIS + 0.5, Math.max(1, right - left - 1), height - AXIS - 1);
  }

  #listen(): void {
    const canvas = this.#canvas;
    canvas.addEventListener('wheel', event => this.#wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', event => {
      if (event.button > 1) return;
      const isPan = event.shiftKey || event.button === 1 || event.offsetY < AXIS;
      this.#drag = { isPan, x: event.offsetX, shown: this.#state.shown };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => this.#move(event));
    canvas.addEventListener('pointerup', event => this.#release(event));
    canvas.addEventListener('pointercancel', () => { this.#drag = null; });
    canvas.addEventListener('pointerleave', event => {
      this.#pointer = null;
      showNote(null, event);
    });
    canvas.addEventListener('dblclick', () => {
      this.#change({ shown: { begin: 0, end: this.#span } }, true);
    });
  }

  #wheel(event: WheelEvent): void {
    if (event.offsetX < MARGIN && !event.ctrlKey) return; // The page scrolls over labels.
    event.preventDefault();
    const { shown } = this.#state;
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isPan) {
      const moved = ((event.deltaX || event.deltaY) / this.#width) * (shown.end - shown.begin);
      const range = { begin: shown.begin + moved, end: shown.end + moved };
      this.#change({ shown: within(range, this.#span) }, false);
    } else {
      const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300)));
      const around = this.#timeAt(Math.max(MARGIN, event.offsetX));
      this.#change({ shown: zoomed(shown, factor, around, this.#span) }, false);
    }
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag) {
      const { clientX, clientY, offsetX, offsetY } = event;
      this.#pointer = { clientX, clientY, offsetX, offsetY };
      this.#hover(this.#pointer);
      return;
    }
    if (drag.isPan) {
      const { begin, end } = drag.shown;
      const moved = ((drag.x - event.offsetX) / this.#width) * (end - begin);
      const range = { begin: begin + moved, end: end + moved };
      this.#change({ shown: within(range, this.#span) }, false);
    } else {
      this.#select(drag.x, event.offsetX, false);
    }
  }

  #hover(event: Pointer): void {
    const location = this.#locationAt(event.offsetY);
    if (location === null || event.offsetX < MARGIN) {
      showNote(null, event);
      return;
    }
    const begin = this.#timeAt(event.offsetX);
    const range = { begin, end: begin + (this.#timeAt(MARGIN + 1) - this.#timeAt(MARGIN)) };
    const message = this.#messageAt(event.offsetX, event.offsetY);
    showNote((message && this.#messageNote(message)) ?? this.#callsNote(location, range) ?? this.#note(location, range), event);
  }

  /** Describes a message. */
  #messageNote(message: Message): Note {
    const { sent, received, bytes, tag } = message;
    const end = (location: number, at: number, position: number) =>
      `${this.#locations[location]!.label}, event ${position}, at ${time(at, 1)}`;
    const rows: [string, string][] = [
      ['from', end(message.sender, sent, message.send_position)],
      ['to', end(message.receiver, received, message.receive_position)],
      ['takes', duration(received - sent)],
    ];
    if (!Number.isNaN(tag)) rows.push(['tag', `${tag}`]);
    const title = Number.isNaN(bytes) ? 'Message' : `Message of ${size(bytes)}`;
    return { title, contents: table(['', ''], rows.map(cells => ({ cells }))) };
  }

  /** Describes the calls of a location that are open; null if single calls are not known. */
  #callsNote(location: number, range: Range): Note | null {
    const open = this.#details?.calls(location, this.#state.shown)?.at(location, range.begin);
    if (!open?.length) return null;
    const rows = open.map(({ place, begin, end, position }) => ({
      cells: [
        shortened(this.#levels.name(place), 40), time(begin, 1), end < Infinity ? duration(end - begin) : 'open', `${position}`,
      ],
    }));
    const { label, name } = this.#locations[location]!;
    const contents = table(['call', 'since', 'takes', 'event'], rows);
    return { title: `${label} ${name} at ${time(range.begin, 1)}`, contents };
  }

  /** Describes what a location does in a range. */
  #note(location: number, range: Range): Note {
    const length = range.end - range.begin;
    const shares = this.#levels.shares([location], range);
    const entries = [...shares.entries()].filter(([, share]) => share.time > length / 200);
    entries.sort(([, a], [, b]) => b.time - a.time);
    const rows = entries.slice(0, MOST_LISTED).map(([place, share]) => {
      return { cells: [shortened(this.#levels.name(place), 40), percent(share.time / length)] };
    });
    const { label, name } = this.#locations[location]!;
    return { title: `${label} ${name} at ${time(range.begin, length)}`, contents: table(['region', 'share'], rows) };
  }

  #release(event: PointerEvent): void {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.isPan) return;
    const message = this.#messageAt(event.offsetX, event.offsetY);
    if (Math.abs(event.offsetX - drag.x) >= 3) {
      this.#select(drag.x, event.offsetX, true);
    } else if (message) {
      const [begin, end] = [message.sent, message.received].toSorted((a, b) => a - b) as [number, number];
      this.#change({ selected: within({ begin, end }, this.#span), location: message.receiver }, true);
    } else {
      const location = this.#locationAt(event.offsetY);
      const isChosen = location === this.#state.location;
      this.#change({ location: isChosen ? null : location, selected: null }, true);
    }
  }

  #select(from: number, to: number, isLasting: boolean): void {
    const [begin, end] = [Math.min(from, to), Math.max(from, to)].map(x => this.#timeAt(Math.max(MARGIN, x)));
    if (begin! < end!) {
      const range = { begin: Math.max(0, begin!), end: Math.min(this.#span, end!) };
      this.#change({ selected: range }, isLasting);
    }
  }
}

/** Returns the distance of a point from a line. */
export function distanceTo([x, y]: [number, number], [x1, y1]: [number, number], [x2, y2]: [number, number]): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const part = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - part * dx, y - y1 - part * dy);
}
