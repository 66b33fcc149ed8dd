// A histogram of durations, as a picture that can be scaled.

import { element } from './dom.ts';
import { count, duration } from './units.ts';

const [WIDTH, HEIGHT, BELOW] = [480, 120, 16];
const SVG = 'http://www.w3.org/2000/svg';

/** A bin: durations in seconds, and their number. */
export type Bin = [begin: number, end: number, number: number];

/** Returns at most `most` bins of equal width that cover those of a histogram, whose numbers are spread evenly. */
export function regular(bins: Bin[], most: number): Bin[] {
  const [first, last] = [bins[0]?.[0] ?? 0, bins.at(-1)?.[1] ?? 0];
  if (last <= first) return bins.slice(0, 1);
  const width = (last - first) / most;
  const found: Bin[] = Array.from({ length: most }, (_, index) => [first + index * width, first + (index + 1) * width, 0]);
  for (const [begin, end, number] of bins) {
    const from = Math.min(most - 1, Math.floor((begin - first) / width));
    const to = Math.min(most - 1, Math.max(from, Math.ceil((end - first) / width) - 1));
    for (let index = from; index <= to; index++) {
      const inside = Math.min(end, found[index]![1]) - Math.max(begin, found[index]![0]);
      found[index]![2] += from === to ? number : (number * inside) / (end - begin);
    }
  }
  return found;
}

function shape(name: string, attributes: Record<string, string | number>, ...contents: (Node | string)[]): SVGElement {
  const created = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, `${value}`);
  created.append(...contents);
  return created;
}

/** Draws the durations of occurrences. */
export function histogram(bins: Bin[]): Element {
  const shown = regular(bins, 60);
  const greatest = Math.max(...shown.map(([, , number]) => number));
  if (!(greatest > 0)) return element('p', {}, 'no durations');
  const width = WIDTH / shown.length;
  const bars = shown.map(([begin, end, number], index) => {
    const height = number > 0 ? Math.max(1, (number / greatest) * HEIGHT) : 0;
    const place = { x: index * width, y: HEIGHT - height, width: Math.max(1, width - 1), height, fill: 'var(--series-0)' };
    const title = `${duration(1e9 * begin)} to ${duration(1e9 * end)}: ${count(number)}`;
    return shape('rect', place, shape('title', {}, title));
  });
  const label = (x: number, anchor: string, text: string) =>
    shape('text', { x, y: HEIGHT + BELOW - 3, 'text-anchor': anchor, fill: 'var(--soft)', 'font-size': 11 }, text);
  const [first, last] = [shown[0]![0], shown.at(-1)![1]];
  const labels = [label(0, 'start', duration(1e9 * first)), label(WIDTH, 'end', duration(1e9 * last))];
  const size = { viewBox: `0 0 ${WIDTH} ${HEIGHT + BELOW}`, width: WIDTH, role: 'img', 'aria-label': 'Durations of occurrences' };
  return shape('svg', size, ...bars, ...labels);
}
