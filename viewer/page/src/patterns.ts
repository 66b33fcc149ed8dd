// The view of patterns: sequences of events that repeat, the durations of their occurrences, and the unusual ones.

import type { Overview, PatternHead } from './data.ts';
import { byId, element, shortened, table, tabs } from './dom.ts';
import { histogram } from './histogram.ts';
import { linkedRow } from './overview.ts';
import { count, duration } from './units.ts';

/** The greatest number of items of a pattern that are listed. */
const MOST_ITEMS = 200;

export class Patterns {
  readonly #patterns: PatternHead[];
  #chosen = 0;

  constructor(overview: Overview) {
    const { summary, patterns, unusual } = overview.head.patterns;
    this.#patterns = patterns;
    byId('patterns-summary').textContent = summary;
    const header = ['at', 'location', 'takes', 'usually', 'pattern', 'what differs'];
    const tables = unusual.map(({ title, rows }): [string, Node] => [
      title, rows.length > 0 ? table(header, rows.map(linkedRow)) : element('p', {}, 'none'),
    ]);
    byId('unusual').append(...tabs(tables));
    this.#show();
  }

  #show(): void {
    const rows = this.#patterns.map((pattern, index) => ({
      cells: [
        shortened(pattern.name, 60), pattern.locations, count(pattern.occurrences), count(pattern.events), duration(1e9 * pattern.seconds),
      ],
      isChosen: index === this.#chosen,
      choose: () => {
        this.#chosen = index;
        this.#show();
      },
    }));
    byId('patterns-list').replaceChildren(table(['pattern', 'where', 'occurrences', 'events', 'total'], rows));
    const chosen = this.#patterns[this.#chosen];
    byId('pattern').replaceChildren(...(chosen ? contents(chosen) : []));
  }
}

function contents({ name, bins, text }: PatternHead): Node[] {
  const lines = text.slice(0, MOST_ITEMS);
  if (text.length > lines.length) lines.push(`and ${count(text.length - lines.length)} more`);
  return [element('h2', {}, shortened(name, 120)), histogram(bins), element('pre', {}, lines.join('\n'))];
}
