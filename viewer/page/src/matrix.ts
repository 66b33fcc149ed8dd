// The matrix of messages: a row for each sender, a column for each receiver.

import { level, LEVELS, property } from './colours.ts';
import { shortened } from './dom.ts';
import type { Column, Location, Overview } from './data.ts';
import { paint } from './picture.ts';

const [MARGIN, TOP] = [60, 24];
const MOST_CELL = 48;

/** What the colour of a cell shows. */
export type Measure = (typeof MEASURES)[number];

export const MEASURES = ['messages', 'bytes', 'waiting'] as const;

/** The messages from a location to another one. */
export interface Channel {
  sender: number;
  receiver: number;
  messages: number;
  bytes: number;
  /** The nanoseconds that the sender waits for the receiver. */
  waiting: number;
}

/** The messages between all pairs of locations. */
export class Channels {
  readonly #sender: Column;
  readonly #receiver: Column;
  readonly #measures: Record<Measure, Column>;

  /** The names of the columns begin with a prefix. */
  constructor(overview: Overview, prefix = '') {
    const column = (name: string) => overview.column(`${prefix}channels.${name}`);
    this.#sender = column('sender');
    this.#receiver = column('receiver');
    this.#measures = { messages: column('messages'), bytes: column('bytes'), waiting: column('waiting') };
  }

  get length(): number {
    return this.#sender.length;
  }

  channel(index: number): Channel {
    const { messages, bytes, waiting } = this.#measures;
    return {
      sender: this.#sender[index]!, receiver: this.#receiver[index]!,
      messages: messages[index]!, bytes: bytes[index]!, waiting: waiting[index]!,
    };
  }

  /** Returns the channel between two locations; its numbers are 0 if there are no messages. */
  between(sender: number, receiver: number): Channel {
    for (let index = 0; index < this.length; index++) {
      if (this.#sender[index] === sender && this.#receiver[index] === receiver) return this.channel(index);
    }
    return { sender, receiver, messages: 0, bytes: 0, waiting: 0 };
  }

  /** Returns the channels with the greatest numbers, the greatest first; only those of a location if it is not null. */
  greatest(measure: Measure, most: number, location: number | null): Channel[] {
    const numbers = this.#measures[measure];
    const isOf = (index: number) => this.#sender[index] === location || this.#receiver[index] === location;
    const indices = [...numbers.keys()].filter(index => numbers[index]! > 0 && (location === null || isOf(index)));
    indices.sort((a, b) => numbers[b]! - numbers[a]!);
    return indices.slice(0, most).map(index => this.channel(index));
  }

  /** Sums a measure over the cells of a grid of `side` rows and columns, which divide `locations` evenly. */
  grid(measure: Measure, locations: number, side: number): Float64Array {
    const sums = new Float64Array(side * side);
    const cell = (location: number) => Math.floor((location * side) / locations);
    const numbers = this.#measures[measure];
    for (let index = 0; index < this.length; index++) {
      sums[cell(this.#sender[index]!) * side + cell(this.#receiver[index]!)]! += numbers[index]!;
    }
    return sums;
  }
}

/** What the matrix asks the page to do. */
export interface Listener {
  choose(location: number): void;
  /** The pointer is over the cell of a sender and a receiver, or over nothing. */
  hover(cell: { sender: number; receiver: number } | null, event: MouseEvent): void;
}

export class Matrix {
  readonly #frame: HTMLElement;
  readonly #canvas = document.createElement('canvas');
  readonly #locations: Location[];
  #channels: Channels;
  #measure: Measure = 'messages';
  #chosen: number | null = null;

  constructor(frame: HTMLElement, channels: Channels, locations: Location[], listener: Listener) {
    this.#frame = frame;
    this.#channels = channels;
    this.#locations = locations;
    this.#canvas.setAttribute('role', 'img');
    frame.append(this.#canvas);
    new ResizeObserver(() => this.#draw()).observe(frame);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw());
    this.#canvas.addEventListener('pointermove', event => listener.hover(this.#cellAt(event), event));
    this.#canvas.addEventListener('pointerleave', event => listener.hover(null, event));
    this.#canvas.addEventListener('click', event => {
      const cell = this.#cellAt(event);
      if (cell) listener.choose(cell.sender);
    });
  }

  /** Shows a measure of channels, and marks the row and the column of a location. */
  show(channels: Channels, measure: Measure, chosen: number | null): void {
    this.#channels = channels;
    this.#measure = measure;
    this.#chosen = chosen;
    this.#draw();
  }

  /** The pixels of a side of the matrix, without margins. */
  get #side(): number {
    const { clientWidth, clientHeight } = this.#frame;
    const room = Math.min(clientWidth - MARGIN, clientHeight - TOP) - 4;
    return Math.max(1, Math.min(room, MOST_CELL * this.#locations.length));
  }

  #cellAt(event: MouseEvent): { sender: number; receiver: number } | null {
    const of = (offset: number) => Math.floor((offset / this.#side) * this.#locations.length);
    const [sender, receiver] = [of(event.offsetY - TOP), of(event.offsetX - MARGIN)];
    const isCell = (index: number) => index >= 0 && index < this.#locations.length;
    return isCell(sender) && isCell(receiver) ? { sender, receiver } : null;
  }

  #draw(): void {
    const count = this.#locations.length;
    if (this.#frame.clientHeight === 0 || count === 0) return;
    const side = this.#side;
    paint(this.#canvas, MARGIN + side + 2, TOP + side + 2, context => {
      this.#drawCells(context, Math.min(count, Math.floor(side)), side);
      this.#drawLabels(context, side / count);
      context.strokeStyle = property('--rule');
      context.strokeRect(MARGIN - 0.5, TOP - 0.5, side + 1, side + 1);
      this.#drawChosen(context, side);
    });
    this.#canvas.setAttribute('aria-label', `Matrix of ${this.#measure} between ${count} locations`);
  }

  #drawCells(context: CanvasRenderingContext2D, cells: number, side: number): void {
    const sums = this.#channels.grid(this.#measure, this.#locations.length, cells);
    const amounts = sums.filter(sum => sum > 0);
    let [least, greatest] = [Infinity, 0];
    for (const amount of amounts) [least, greatest] = [Math.min(least, amount), Math.max(greatest, amount)];
    const colours = Array.from({ length: LEVELS + 1 }, (_, index) => property(`--level-${index}`));
    const size = side / cells;
    const gap = size >= 8 ? 1 : 0;
    for (let cell = 0; cell < sums.length; cell++) {
      if (sums[cell] === 0) continue;
      context.fillStyle = colours[level(sums[cell]!, least, greatest)]!;
      const [row, column] = [Math.floor(cell / cells), cell % cells];
      context.fillRect(MARGIN + column * size, TOP + row * size, size - gap, size - gap);
    }
  }

  #drawLabels(context: CanvasRenderingContext2D, size: number): void {
    context.font = '11px sans-serif';
    context.fillStyle = property('--ink');
    context.textBaseline = 'middle';
    const down = Math.ceil(13 / size);
    const across = Math.ceil(30 / size);
    for (const [index, { label }] of this.#locations.entries()) {
      const centre = (index + 0.5) * size;
      context.textAlign = 'right';
      if (index % down === 0) context.fillText(shortened(label, 8), MARGIN - 6, TOP + centre);
      context.textAlign = 'center';
      if (index % across === 0) context.fillText(shortened(label, 5), MARGIN + centre, TOP / 2);
    }
  }

  #drawChosen(context: CanvasRenderingContext2D, side: number): void {
    if (this.#chosen === null) return;
    const size = side / this.#locations.length;
    context.strokeStyle = property('--mark');
    context.strokeRect(MARGIN - 0.5, TOP + this.#chosen * size - 0.5, side + 1, Math.max(1, size));
    context.strokeRect(MARGIN + this.#chosen * size - 0.5, TOP - 0.5, Math.max(1, size), side + 1);
  }
}
