// The view of metrics: a curve over time for each location.

import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';

import { property } from './colours.ts';
import type { Location, Overview, SeriesHead } from './data.ts';
import { byId, element, table } from './dom.ts';
import type { Range } from './levels.ts';
import type { State } from './state.ts';
import type { Change } from './timeline.ts';
import { amount } from './units.ts';

/** The greatest number of curves of a picture. */
const MOST_CURVES = 32;
const COLOURS = ['--series-0', '--series-1', '--series-2', '--series-3', '--series-5', '--series-6', '--series-4'];

/** The statistics of a metric in a part of the run. */
export interface Statistics {
  least: number;
  mean: number;
  greatest: number;
}

/** Returns the statistics of the buckets of a metric that are in a range; null if it has no values there. */
export function statistics(columns: Record<keyof Statistics, ArrayLike<number>>, width: number, { begin, end }: Range): Statistics | null {
  let [least, greatest, sum, count] = [Infinity, -Infinity, 0, 0];
  const last = Math.min(columns.mean.length, Math.ceil(end / width));
  for (let bucket = Math.max(0, Math.floor(begin / width)); bucket < last; bucket++) {
    const mean = columns.mean[bucket]!;
    if (Number.isNaN(mean)) continue;
    least = Math.min(least, columns.least[bucket]!);
    greatest = Math.max(greatest, columns.greatest[bucket]!);
    sum += mean;
    count++;
  }
  return count > 0 ? { least, mean: sum / count, greatest } : null;
}

/** Returns the growth of values per second, from each bucket with values to the next one. */
export function growth(values: ArrayLike<number>, width: number): Float64Array {
  const found = new Float64Array(values.length).fill(NaN);
  let before = NaN;
  let seconds = 0;
  for (let bucket = 0; bucket < values.length; bucket++) {
    seconds += width / 1e9;
    const value = values[bucket]!;
    if (Number.isNaN(value)) continue;
    found[bucket] = (value - before) / seconds;
    [before, seconds] = [value, 0];
  }
  return found;
}

export class MetricsView {
  readonly #overview: Overview;
  readonly #locations: Location[];
  readonly #change: Change;
  /** The series of each metric, by name and unit. */
  readonly #metrics = new Map<string, [SeriesHead, number][]>();
  readonly #perSecond = element('button', { type: 'button' }, 'growth per second');
  #metric = '';
  #isGrowth = false;
  #plot: uPlot | null = null;
  #state: State;

  constructor(overview: Overview, locations: Location[], state: State, change: Change) {
    this.#overview = overview;
    this.#locations = locations;
    this.#state = state;
    this.#change = change;
    for (const [index, series] of overview.head.metrics.series.entries()) {
      const metric = title(series);
      const others = this.#metrics.get(metric);
      if (others) others.push([series, index]);
      else this.#metrics.set(metric, [[series, index]]);
    }
    const buttons = [...this.#metrics.keys()].map(metric => {
      const button = element('button', { type: 'button' }, metric);
      button.addEventListener('click', () => this.#choose(metric));
      return button;
    });
    byId('metric-names').append(...(buttons.length > 0 ? buttons : ['The trace has no metrics.']));
    this.#perSecond.addEventListener('click', () => {
      this.#isGrowth = !this.#isGrowth;
      this.#draw();
    });
    if (buttons.length > 0) byId('metric-names').prepend(this.#perSecond);
    this.#metric = this.#metrics.keys().next().value ?? '';
    this.#isGrowth = this.#areCounters();
    const redraw = () => { if (this.#plot) this.#draw(); };
    new ResizeObserver(redraw).observe(byId('curves'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  }

  show(state: State): void {
    this.#state = state;
    if (this.#plot) this.#showRange();
    else this.#draw();
  }

  #series(): [SeriesHead, number][] {
    return this.#metrics.get(this.#metric) ?? [];
  }

  #columns(index: number): Record<keyof Statistics, ArrayLike<number>> {
    const column = (name: string) => this.#overview.column(`metrics.${index}.${name}`);
    if (this.#isGrowth) {
      const values = growth(column('mean'), this.#overview.head.metrics.width);
      return { least: values, mean: values, greatest: values };
    }
    return { least: column('least'), mean: column('mean'), greatest: column('greatest') };
  }

  /** Whether the metric counts, so that its growth says more than its values. */
  #areCounters(): boolean {
    const series = this.#series();
    return series.length > 0 && series.every(([{ is_counter: isCounter }]) => isCounter);
  }

  #choose(metric: string): void {
    this.#metric = metric;
    this.#isGrowth = this.#areCounters();
    this.#draw();
  }

  /** Draws the curves of the metric. */
  #draw(): void {
    for (const button of byId('metric-names').querySelectorAll('button')) {
      const isPressed = button === this.#perSecond ? this.#isGrowth : button.textContent === this.#metric;
      button.setAttribute('aria-pressed', `${isPressed}`);
    }
    this.#plot?.destroy();
    this.#plot = null;
    const frame = byId('curves');
    const series = this.#series().slice(0, MOST_CURVES);
    if (series.length === 0 || frame.clientWidth === 0) return;
    const { width } = this.#overview.head.metrics;
    const means = series.map(([, index]) => Array.from(this.#columns(index).mean).map(value => (Number.isNaN(value) ? null : value)));
    const times = means[0]!.map((_, bucket) => ((bucket + 0.5) * width) / 1e9);
    const [ink, grid] = [property('--soft'), property('--grid')];
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const options: uPlot.Options = {
      width: frame.clientWidth,
      height: Math.max(120, frame.clientHeight),
      scales: { x: { time: false } },
      axes: [{ ...axis, values: (_, splits) => splits.map(split => `${split} s`) }, { ...axis, size: 80, values: (_, splits) => splits.map(amount) }],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false } },
      series: [{}, ...series.map(([{ location }], index) => ({
        label: this.#locations[location]!.label, stroke: property(COLOURS[index % COLOURS.length]!), width: 1.5, spanGaps: true, paths: uPlot.paths.stepped!({ align: 1 }),
      }))],
      hooks: { setSelect: [plot => this.#selected(plot)] },
    };
    this.#plot = new uPlot(options, [times, ...means] as uPlot.AlignedData, frame);
    this.#plot.root.setAttribute('role', 'img');
    this.#plot.root.setAttribute('aria-label', `${this.#metric} of ${series.length} locations`);
    this.#showRange();
  }

  #selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 3) return;
    const range = { begin: 1e9 * plot.posToVal(left, 'x'), end: 1e9 * plot.posToVal(left + width, 'x') };
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#change({ selected: range }, true);
  }

  /** Shows the part of the run, and the statistics of what is selected or shown. */
  #showRange(): void {
    const { shown, selected, location } = this.#state;
    this.#plot?.setScale('x', { min: shown.begin / 1e9, max: shown.end / 1e9 });
    const { width } = this.#overview.head.metrics;
    const rows = this.#series().flatMap(([series, index]) => {
      const found = statistics(this.#columns(index), width, selected ?? shown);
      if (!found) return [];
      const { label, name } = this.#locations[series.location]!;
      return [{
        cells: [`${label} ${name}`, amount(found.least), amount(found.mean), amount(found.greatest)],
        isChosen: series.location === location,
        choose: () => this.#change({ location: series.location === location ? null : series.location }, true),
      }];
    });
    byId('metric-values').replaceChildren(table(['location', 'least', 'mean', 'greatest'], rows));
  }
}

function title({ name, unit }: SeriesHead): string {
  return unit ? `${name} (${unit})` : name;
}
