// The view of loops: a strip for each outermost loop, with a bar for each iteration, and the model of the program.

import { property } from './colours.ts';
import { byId, element, table } from './dom.ts';
import type { Range } from './levels.ts';
import { model } from './model.ts';
import { showNote } from './note.ts';
import type { Column, LoopHead, Overview } from './data.ts';
import { paint } from './picture.ts';
import { count, duration, percent } from './units.ts';

const HEIGHT = 84;

/** An iteration, or consecutive ones that share a bar. */
export interface Iterations {
  first: number;
  last: number;
  /** The time in which a process executes one of them. */
  range: Range;
  /** The nanoseconds of the iteration and process that take longest. */
  longest: number;
}

/** The iterations of a loop. */
export class LoopTimes {
  readonly head: LoopHead;
  readonly #begin: Column;
  readonly #end: Column;
  readonly #longest: Column;
  /** The nanoseconds of the iteration and process that take longest. */
  readonly greatest: number;

  constructor(overview: Overview, index: number) {
    this.head = overview.head.loops[index]!;
    this.#begin = overview.column(`loops.${index}.begin`);
    this.#end = overview.column(`loops.${index}.end`);
    this.#longest = overview.column(`loops.${index}.longest`);
    let greatest = 0;
    for (const longest of this.#longest) greatest = Math.max(greatest, longest);
    this.greatest = greatest;
  }

  get length(): number {
    return this.#begin.length;
  }

  /** Returns the iterations of rows, the last of which is not among them. */
  between(row: number, end: number): Iterations {
    const { each, iterations } = this.head;
    const found: Iterations = {
      first: row * each, last: Math.min(iterations, end * each) - 1, range: { begin: Infinity, end: -Infinity }, longest: 0,
    };
    for (let at = row; at < end; at++) {
      found.range.begin = Math.min(found.range.begin, this.#begin[at]!);
      found.range.end = Math.max(found.range.end, this.#end[at]!);
      found.longest = Math.max(found.longest, this.#longest[at]!);
    }
    return found;
  }

  /** Returns the row with the iteration that takes longest. */
  get slowest(): number {
    return this.#longest.indexOf(this.greatest);
  }
}

/** The strip of a loop. */
class Strip {
  readonly canvas = element('canvas', { role: 'img' });
  readonly #times: LoopTimes;
  #selected: Range | null = null;
  #dragged: number | null = null;

  constructor(times: LoopTimes, select: (range: Range) => void) {
    this.#times = times;
    const canvas = this.canvas;
    canvas.addEventListener('pointerdown', event => {
      this.#dragged = event.offsetX;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => this.#hover(event));
    canvas.addEventListener('pointerleave', event => showNote(null, event));
    canvas.addEventListener('pointerup', event => {
      const from = this.#dragged;
      this.#dragged = null;
      if (from === null) return;
      const [row] = this.#rowsAt(Math.min(from, event.offsetX));
      const [, end] = this.#rowsAt(Math.max(from, event.offsetX));
      select(times.between(row, end).range);
    });
  }

  show(selected: Range | null): void {
    this.#selected = selected;
    this.draw();
  }

  get #width(): number {
    return this.canvas.parentElement?.clientWidth ?? 0;
  }

  /** Returns the first row of the bar at a place, and the row after its last one. */
  #rowsAt(x: number): [number, number] {
    const rows = this.#times.length;
    const bars = Math.min(rows, this.#width);
    const bar = Math.min(bars - 1, Math.max(0, Math.floor((x / this.#width) * bars)));
    return [Math.floor((bar * rows) / bars), Math.floor(((bar + 1) * rows) / bars)];
  }

  #hover(event: PointerEvent): void {
    const { first, last, range, longest } = this.#times.between(...this.#rowsAt(event.offsetX));
    const title = first === last ? `iteration ${count(first)}` : `iterations ${count(first)} to ${count(last)}`;
    const facts = [['longest process', duration(longest)], ['all processes', duration(range.end - range.begin)]];
    showNote({ title, contents: table([], facts.map(cells => ({ cells }))) }, event);
  }

  draw(): void {
    const width = this.#width;
    if (width === 0) return;
    paint(this.canvas, width, HEIGHT, context => this.#drawBars(context, width));
    const { number, iterations } = this.#times.head;
    this.canvas.setAttribute('aria-label', `Durations of ${count(iterations)} iterations of loop ${number}`);
  }

  #drawBars(context: CanvasRenderingContext2D, width: number): void {
    const bars = Math.min(this.#times.length, width);
    const size = width / bars;
    const [own, chosen] = [property('--series-0'), property('--mark')];
    for (let bar = 0; bar < bars; bar++) {
      const { range, longest } = this.#times.between(...this.#rowsAt((bar + 0.5) * size));
      const height = (longest / (this.#times.greatest || 1)) * (HEIGHT - 2);
      context.fillStyle = this.#isSelected(range) ? chosen : own;
      context.globalAlpha = this.#selected && !this.#isSelected(range) ? 0.45 : 1;
      context.fillRect(bar * size, HEIGHT - height, Math.max(0.5, size - (size > 3 ? 1 : 0)), height);
    }
  }

  /** Whether the middle of a range is selected. */
  #isSelected({ begin, end }: Range): boolean {
    const middle = (begin + end) / 2;
    return this.#selected !== null && this.#selected.begin <= middle && middle <= this.#selected.end;
  }
}

export class Loops {
  readonly #strips: Strip[];
  /** Whether it was not shown yet. */
  #isNew = true;

  /** `select` is called with a range that is selected. */
  constructor(overview: Overview, select: (range: Range) => void) {
    const frame = byId('strips');
    const all = overview.head.loops.map((_, index) => new LoopTimes(overview, index));
    this.#strips = all.map(times => new Strip(times, select));
    for (const [index, times] of all.entries()) {
      const { number, iterations, share } = times.head;
      const slowest = times.between(times.slowest, times.slowest + 1);
      const button = element('button', { type: 'button' }, `the longest takes ${duration(times.greatest)}`);
      button.addEventListener('click', () => select(slowest.range));
      const title = `Loop ${number}: ${count(iterations)} iterations, ${percent(share)} of the time; `;
      const messages = element('a', { href: `#view=communication&loop=${number}` }, 'its messages');
      frame.append(element('section', {}, element('h2', {}, title, button, '; ', messages), this.#strips[index]!.canvas));
    }
    if (all.length === 0) frame.append('The program has no loops.');
    const whole = (number: string) => {
      const times = all.find(({ head }) => head.number === number);
      if (times) select(times.between(0, times.length).range);
    };
    byId('model').append(...model(overview.head.model, whole));
    new ResizeObserver(() => this.#strips.forEach(strip => strip.draw())).observe(frame);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#strips.forEach(strip => strip.draw()));
  }

  /** Marks the iterations in a range. */
  show(selected: Range | null): void {
    for (const strip of this.#strips) strip.show(selected);
    if (this.#isNew) {
      this.#isNew = false;
      document.querySelector('#model [open]')?.scrollIntoView();
    }
  }
}
