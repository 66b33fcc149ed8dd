// The profile of the part of a run that is selected or shown.

import { byId, shortened, table } from './dom.ts';
import type { Levels } from './levels.ts';
import type { Location } from './data.ts';
import type { State } from './state.ts';
import { count, duration, percent, size, time } from './units.ts';

/** The greatest number of rows. */
const MOST_ROWS = 100;

export class Profile {
  readonly #levels: Levels;
  readonly #locations: Location[];
  readonly #emphasise: (region: string) => void;
  #state: State;

  constructor(levels: Levels, locations: Location[], state: State, emphasise: (region: string) => void) {
    this.#levels = levels;
    this.#locations = locations;
    this.#state = state;
    this.#emphasise = emphasise;
    byId('search').addEventListener('input', () => this.show(this.#state));
  }

  /** Shows the regions in the part that is selected, or in all that is shown, and of the location that is chosen. */
  show(state: State): void {
    this.#state = state;
    const { shown, selected, location } = state;
    const range = selected ?? shown;
    const step = (range.end - range.begin) / 1000;
    const place = location === null ? `all ${this.#locations.length} locations` : `location ${this.#locations[location]!.label}`;
    byId('range').textContent =
      `${selected ? 'Selected' : 'Shown'}: ${time(range.begin, step)} to ${time(range.end, step)}, ` +
      `${duration(range.end - range.begin)}, in ${place}`;
    const shares = this.#levels.shares(location === null ? this.#locations.keys() : [location], range);
    const total = shares.reduce((sum, share) => sum + share.time, 0) || 1;
    const search = (byId('search') as HTMLInputElement).value.toLowerCase();
    const entries = shares.map((share, index) => ({ ...share, name: this.#levels.name(index) }));
    const found = entries.filter(({ time, calls, name }) => (time > 0 || calls > 0) && name.toLowerCase().includes(search));
    found.sort((a, b) => b.time - a.time);
    const rows = found.slice(0, MOST_ROWS).map(({ time, calls, bytes, name }) => ({
      cells: [shortened(name, 60), duration(time), percent(time / total), count(calls), bytes > 0 ? size(bytes) : ''],
      choose: () => this.#emphasise(name),
      isChosen: name === state.region,
    }));
    byId('profile').replaceChildren(table(['region', 'time', 'share', 'calls', 'bytes'], rows));
    byId('more').textContent = found.length > MOST_ROWS ? `and ${count(found.length - MOST_ROWS)} more` : '';
  }
}
