// The view of call paths: a flame graph with the outermost calls at the top, and a table of the paths that take the most time.

import { type Colouring, property } from './colours.ts';
import { byId, element, shortened, table } from './dom.ts';
import { type Note, showNote } from './note.ts';
import { paint } from './picture.ts';
import type { Column, Overview } from './data.ts';
import type { State } from './state.ts';
import { count, duration, percent } from './units.ts';

const ROW = 20;
/** The narrowest call that is drawn, in pixels. */
const NARROWEST = 0.4;
/** The average width of a letter. */
const LETTER = 6.2;
/** The greatest number of rows of the table. */
const MOST_ROWS = 50;

/** The root of the tree: all locations together. */
const ALL = -1;

/** The call paths of all locations: the parent of a path comes before it. */
export class CallTree {
  readonly #region: Column;
  readonly #calls: Column;
  readonly #inclusive: Column;
  readonly #regions: string[];
  readonly #parents: number[];
  readonly #children = new Map<number, number[]>();
  /** The nanoseconds of all locations together. */
  readonly total: number;

  constructor(overview: Overview, regions: string[]) {
    this.#region = overview.column('calls.region');
    this.#calls = overview.column('calls.number');
    this.#inclusive = overview.column('calls.inclusive');
    this.#regions = regions;
    this.total = overview.head.total;
    // In the columns, 0 is no parent.
    this.#parents = [...overview.column('calls.parent')].map(parent => parent - 1);
    for (const [node, parent] of this.#parents.entries()) {
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(node);
      else this.#children.set(parent, [node]);
    }
    for (const siblings of this.#children.values()) siblings.sort((a, b) => this.inclusive(b) - this.inclusive(a));
  }

  get length(): number {
    return this.#parents.length;
  }

  /** Returns the paths that a path is the caller of, the one with the most time first. */
  children(node: number): number[] {
    return this.#children.get(node) ?? [];
  }

  parent(node: number): number {
    return this.#parents[node]!;
  }

  /** Returns the place of the region of a path: its index plus 1. */
  place(node: number): number {
    return this.#region[node]! + 1;
  }

  name(node: number): string {
    return node === ALL ? 'all locations' : this.#regions[this.#region[node]!]!;
  }

  calls(node: number): number {
    return this.#calls[node]!;
  }

  /** Returns the nanoseconds in which a call on the path is open. */
  inclusive(node: number): number {
    return node === ALL ? this.total : this.#inclusive[node]!;
  }

  /** Returns the names from the outermost call to the innermost one. */
  path(node: number): string {
    const names: string[] = [];
    for (let at = node; at !== ALL; at = this.parent(at)) names.push(this.name(at));
    return names.reverse().join(' / ');
  }

  /** Returns the paths with the most time that contain a region; all of them if it is empty. */
  greatest(most: number, region: string): number[] {
    const nodes = [...this.#parents.keys()].filter(node => !region || this.name(node) === region);
    nodes.sort((a, b) => this.inclusive(b) - this.inclusive(a));
    return nodes.slice(0, most);
  }

  /** Calls `visit` with each path below a root that is not too narrow, with its place from 0 to 1 and its level. */
  layOut(root: number, narrowest: number, visit: (node: number, left: number, width: number, level: number) => void): void {
    const whole = this.inclusive(root) || 1;
    const pending: [node: number, left: number, level: number][] = [[root, 0, 0]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [node, left, level] = next;
      visit(node, left, this.inclusive(node) / whole, level);
      let at = left;
      for (const child of this.children(node)) {
        const width = this.inclusive(child) / whole;
        if (width < narrowest) break;
        pending.push([child, at, level + 1]);
        at += width;
      }
    }
  }
}

/** A path in the picture, in pixels. */
interface Box {
  node: number;
  left: number;
  width: number;
  level: number;
}

export class Calls {
  readonly #frame = byId('flames');
  readonly #canvas = element('canvas', { role: 'img' });
  readonly #tree: CallTree;
  readonly #colouring: Colouring;
  readonly #emphasise: (region: string) => void;
  /** The path that takes the whole width. */
  #root = ALL;
  #region = '';
  #boxes: Box[] = [];

  /** `emphasise` is called with a region that is chosen. */
  constructor(overview: Overview, regions: string[], colouring: Colouring, emphasise: (region: string) => void) {
    this.#tree = new CallTree(overview, regions);
    this.#colouring = colouring;
    this.#emphasise = emphasise;
    this.#frame.append(this.#canvas);
    new ResizeObserver(() => this.#draw()).observe(this.#frame);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw());
    this.#canvas.addEventListener('pointermove', event => {
      const box = this.#boxAt(event);
      showNote(box ? this.#note(box.node) : null, event);
    });
    this.#canvas.addEventListener('pointerleave', event => showNote(null, event));
    this.#canvas.addEventListener('click', event => this.#choose(this.#boxAt(event)));
  }

  /** Shows the call paths, and emphasises those of a region. */
  show({ region }: State): void {
    this.#region = region;
    this.#draw();
    const tree = this.#tree;
    const rows = tree.greatest(MOST_ROWS, region).map(node => {
      const cells = [tree.path(node), percent(tree.inclusive(node) / tree.total), count(tree.calls(node))];
      return { cells, choose: () => this.#emphasise(tree.name(node)) };
    });
    byId('paths').replaceChildren(table(['call path', 'inclusive', 'calls'], rows));
  }

  /** Makes a path as wide as the picture, or goes back if it is that already. */
  #choose(box: Box | undefined): void {
    if (!box) return;
    const isRoot = box.node === this.#root;
    this.#root = isRoot && box.node !== ALL ? this.#tree.parent(box.node) : box.node;
    this.#draw();
  }

  #boxAt({ offsetX, offsetY }: MouseEvent): Box | undefined {
    const level = Math.floor(offsetY / ROW);
    return this.#boxes.find(box => box.level === level && offsetX >= box.left && offsetX < box.left + box.width);
  }

  #note(node: number): Note {
    const tree = this.#tree;
    const rows = [['inclusive', duration(tree.inclusive(node))], ['share', percent(tree.inclusive(node) / tree.total)]];
    if (node !== ALL) rows.push(['calls', count(tree.calls(node))]);
    const title = shortened(node === ALL ? tree.name(node) : tree.path(node), 300);
    return { title, contents: table([], rows.map(cells => ({ cells }))) };
  }

  #draw(): void {
    const width = this.#frame.clientWidth;
    if (width === 0) return;
    this.#boxes = [];
    this.#tree.layOut(this.#root, NARROWEST / width, (node, left, share, level) => {
      this.#boxes.push({ node, left: left * width, width: share * width, level });
    });
    const levels = Math.max(...this.#boxes.map(box => box.level)) + 1;
    paint(this.#canvas, width, levels * ROW, context => {
      context.font = '11px sans-serif';
      context.textBaseline = 'middle';
      for (const box of this.#boxes) this.#drawBox(context, box);
    });
    this.#canvas.setAttribute('aria-label', `Flame graph of ${count(this.#tree.length)} call paths`);
  }

  #drawBox(context: CanvasRenderingContext2D, { node, left, width, level }: Box): void {
    const colour = this.#colouring.colours[this.#colouring.of[node === ALL ? 0 : this.#tree.place(node)]!]!;
    const isEmphasised = !this.#region || this.#region === this.#tree.name(node);
    context.globalAlpha = isEmphasised ? 1 : 0.25;
    context.fillStyle = property(node === ALL ? '--node' : colour.property);
    const gap = width > 3 ? 1 : 0;
    context.fillRect(left, level * ROW, width - gap, ROW - 1);
    context.globalAlpha = 1;
    const letters = Math.floor((width - 8) / LETTER);
    if (letters < 3) return;
    context.fillStyle = property(node === ALL || !isEmphasised ? '--ink' : '--ground');
    context.fillText(shortened(this.#tree.name(node), letters), left + 4, (level + 0.5) * ROW);
  }
}
