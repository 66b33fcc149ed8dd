// The view of lateness: how late each location is at each logical step, and where lateness begins.

import { level, LEVELS, property } from './colours.ts';
import type { Column, Location, Overview } from './data.ts';
import { byId, element, shortened, table } from './dom.ts';
import { type Note, showNote } from './note.ts';
import { linkedRow } from './overview.ts';
import { paint } from './picture.ts';
import { type State, within } from './state.ts';
import type { Change } from './timeline.ts';
import { count, duration, niceStep } from './units.ts';

const [MARGIN, TOP] = [110, 22];
const MOST_HEIGHT = 48;

/** An operation, or the time before it. */
export interface StepEvent {
  /** The index of its location. */
  location: number;
  step: number;
  /** The nanoseconds by which it ends after the first one of its step. */
  late: number;
  /** When it begins. */
  time: number;
}

/** The latest event of each location in each range of steps. */
export class LatenessMap {
  /** The first event of each location, and the number of events. */
  readonly #first: Column;
  readonly #range: Column;
  readonly #step: Column;
  readonly #late: Column;
  readonly #time: Column;
  readonly ranges: number;
  /** The least lateness above zero, and the greatest one. */
  readonly least: number;
  readonly greatest: number;

  constructor(overview: Overview) {
    const column = (name: string) => overview.column(`lateness.${name}`);
    this.#first = column('first');
    this.#range = column('range');
    this.#step = column('step');
    this.#late = column('late');
    this.#time = column('time');
    let [ranges, least, greatest] = [0, Infinity, 0];
    for (const range of this.#range) ranges = Math.max(ranges, range + 1);
    for (const late of this.#late) if (late > 0) [least, greatest] = [Math.min(least, late), Math.max(greatest, late)];
    [this.ranges, this.least, this.greatest] = [ranges, least, greatest];
  }

  event(index: number): StepEvent {
    let location = 0;
    while (this.#first[location + 1]! <= index) location++;
    return { location, step: this.#step[index]!, late: this.#late[index]!, time: this.#time[index]! };
  }

  /** Returns the index of the latest event in each cell of a grid, which divides locations and ranges evenly; -1 if there is none. */
  grid(rows: number, columns: number): Int32Array<ArrayBuffer> {
    const grid = new Int32Array(rows * columns).fill(-1);
    const locations = this.#first.length - 1;
    for (let location = 0; location < locations; location++) {
      const row = Math.floor((location * rows) / locations);
      for (let index = this.#first[location]!; index < this.#first[location + 1]!; index++) {
        const cell = row * columns + Math.floor((this.#range[index]! * columns) / this.ranges);
        if (grid[cell] === -1 || this.#late[index]! > this.#late[grid[cell]!]!) grid[cell] = index;
      }
    }
    return grid;
  }

  /** Returns the colour of an event: 0 if it is not late, then from 1 to `LEVELS`. */
  level(index: number): number {
    return level(this.#late[index]!, this.least, this.greatest);
  }
}

/** The layout of the picture: a cell of the grid is at most a pixel of CSS wide. */
interface Layout {
  rows: number;
  columns: number;
  width: number;
  height: number;
}

export class Lateness {
  readonly #map: LatenessMap;
  readonly #frame = byId('lateness');
  readonly #canvas = document.createElement('canvas');
  readonly #locations: Location[];
  readonly #span: number;
  /** The number of steps of a range. */
  readonly #each: number;
  readonly #change: Change;
  #grid = new Int32Array(0);
  #chosen: number | null = null;

  constructor(overview: Overview, locations: Location[], span: number, change: Change) {
    const { summary, steps, steps_of_range, header, origins } = overview.head.lateness;
    this.#map = new LatenessMap(overview);
    this.#locations = locations;
    this.#span = span;
    this.#each = steps_of_range;
    this.#change = change;
    byId('levels').append(element('span', {}, summary), ...this.#legend());
    const tables = origins.filter(({ rows }) => rows.length > 0).flatMap(({ title, rows }) => [
      element('h2', {}, title), table(header, rows.map(linkedRow)),
    ]);
    byId('origins').append(...(tables.length > 0 ? tables : ['No process is late.']));
    if (this.#map.ranges === 0) return;
    this.#canvas.setAttribute('role', 'img');
    const ranges = `${count(this.#map.ranges)} ranges of ${count(steps)} steps`;
    this.#canvas.setAttribute('aria-label', `The greatest lateness of ${locations.length} locations in ${ranges}`);
    this.#frame.append(this.#canvas);
    this.#listen();
  }

  /** Marks a location. */
  show({ location }: State): void {
    this.#chosen = location;
    this.#draw();
  }

  #legend(): HTMLElement[] {
    const { least, greatest } = this.#map;
    if (greatest === 0) return [];
    const levels = least < greatest ? [...Array(LEVELS).keys()].map(index => index + 1) : [LEVELS];
    const sign = (level: number) => element('span', { class: 'sign', style: `background: var(--level-${level})` });
    const most = (level: number) => duration(least * (greatest / least) ** (level / LEVELS));
    return [
      element('span', {}, sign(0), 'not late'),
      ...levels.map(level => element('span', {}, sign(level), `up to ${most(level)}`)),
    ];
  }

  #listen(): void {
    new ResizeObserver(() => this.#draw()).observe(this.#frame);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw());
    this.#canvas.addEventListener('pointermove', event => showNote(this.#note(event), event));
    this.#canvas.addEventListener('pointerleave', event => showNote(null, event));
    this.#canvas.addEventListener('click', event => {
      const index = this.#indexAt(event);
      if (index !== null) this.#open(this.#map.event(index));
    });
  }

  get #layout(): Layout {
    const { clientWidth, clientHeight } = this.#frame;
    const count = this.#locations.length;
    const width = Math.max(1, clientWidth - MARGIN - 4);
    const height = Math.max(1, Math.min(clientHeight - TOP - 4, MOST_HEIGHT * count));
    return { width, height, rows: Math.min(count, Math.floor(height)), columns: Math.min(this.#map.ranges, Math.floor(width)) };
  }

  /** Returns the index of the event under the pointer. */
  #indexAt({ offsetX, offsetY }: MouseEvent): number | null {
    const { rows, columns, width, height } = this.#layout;
    const [row, column] = [Math.floor(((offsetY - TOP) * rows) / height), Math.floor(((offsetX - MARGIN) * columns) / width)];
    const isCell = row >= 0 && row < rows && column >= 0 && column < columns;
    const index = isCell ? this.#grid[row * columns + column]! : -1;
    return index === -1 ? null : index;
  }

  #note(event: MouseEvent): Note | null {
    const index = this.#indexAt(event);
    if (index === null) return null;
    const { location, step, late } = this.#map.event(index);
    const rows = [['latest at step', count(step)], ['late', late > 0 ? duration(late) : 'no']];
    return { title: this.#locations[location]!.label, contents: table([], rows.map(cells => ({ cells }))) };
  }

  /** Shows the time of an event in the timeline. */
  #open({ location, time, late }: StepEvent): void {
    const selected = within({ begin: time, end: time + late }, this.#span);
    const shown = within({ begin: time - late, end: time + 2 * late }, this.#span);
    this.#change({ view: 'timeline', location, selected, shown }, true);
  }

  #draw(): void {
    const layout = this.#layout;
    if (this.#frame.clientHeight === 0 || this.#map.ranges === 0) return;
    this.#grid = this.#map.grid(layout.rows, layout.columns);
    paint(this.#canvas, MARGIN + layout.width + 2, TOP + layout.height + 2, context => {
      this.#drawCells(context, layout);
      this.#drawLabels(context, layout);
      this.#drawSteps(context, layout);
    });
  }

  #drawCells(context: CanvasRenderingContext2D, { rows, columns, width, height }: Layout): void {
    const colours = Array.from({ length: LEVELS + 1 }, (_, index) => property(`--level-${index}`));
    const [across, down] = [width / columns, height / rows];
    const gap = down >= 8 ? 1 : 0;
    for (const [cell, index] of this.#grid.entries()) {
      if (index === -1) continue;
      context.fillStyle = colours[this.#map.level(index)]!;
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      context.fillRect(MARGIN + column * across, TOP + row * down, across, down - gap);
    }
  }

  #drawLabels(context: CanvasRenderingContext2D, { height }: Layout): void {
    const size = height / this.#locations.length;
    context.font = '11px sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = property('--ink');
    const down = Math.ceil(13 / size);
    for (const [index, { label }] of this.#locations.entries()) {
      if (index % down === 0) context.fillText(shortened(label, 16), MARGIN - 6, TOP + (index + 0.5) * size);
    }
    if (this.#chosen === null) return;
    context.strokeStyle = property('--mark');
    context.strokeRect(MARGIN - 0.5, TOP + this.#chosen * size - 0.5, this.#layout.width + 1, Math.max(1, size));
  }

  #drawSteps(context: CanvasRenderingContext2D, { width }: Layout): void {
    const steps = this.#map.ranges * this.#each;
    const every = Math.max(1, niceStep(steps, width / 90));
    context.textAlign = 'left';
    context.fillStyle = property('--soft');
    context.textBaseline = 'middle';
    context.fillText('step', 6, TOP / 2);
    for (let step = 0; step < steps; step += every) {
      context.fillText(count(step), MARGIN + (step / steps) * width, TOP / 2);
    }
  }
}
