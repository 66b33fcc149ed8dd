// The list of single events of the location that is chosen, in the part that is selected or shown.

import type { Range } from './levels.ts';
import { byId, element, table } from './dom.ts';
import type { EventLines } from './server.ts';
import type { State } from './state.ts';
import { count, time } from './units.ts';

/** The milliseconds without a change after which events are asked for. */
const PAUSE = 150;

export class EventList {
  readonly #ask: (range: Range, location: number) => Promise<EventLines>;
  #shown = '';
  #timer = 0;

  constructor(ask: (range: Range, location: number) => Promise<EventLines>) {
    this.#ask = ask;
  }

  /** Shows the events of a state; none if no location is chosen. */
  show({ selected, shown, location }: State): void {
    const range = selected ?? shown;
    const key = location === null ? '' : `${location} ${range.begin} ${range.end}`;
    if (key === this.#shown) return;
    this.#shown = key;
    clearTimeout(this.#timer);
    if (location === null) byId('events').replaceChildren();
    else this.#timer = setTimeout(() => this.#list(range, location, key), PAUSE);
  }

  async #list(range: Range, location: number, key: string): Promise<void> {
    const lines = await this.#ask(range, location).catch((error: unknown) => `${error}`);
    if (key !== this.#shown) return;
    byId('events').replaceChildren(...(typeof lines === 'string' ? [lines] : contents(lines, range)));
  }
}

function contents({ total, events }: EventLines, range: Range): Node[] {
  const step = (range.end - range.begin) / 1000;
  const rows = events.map(event => ({
    cells: [`${event.position}`, time(event.time, Math.min(step, 1000)), element('code', {}, event.text)],
  }));
  const more = total > events.length ? [`, the first ${count(events.length)} of which are listed`] : [];
  const title = element('h2', {}, `${count(total)} ${total === 1 ? 'event' : 'events'}`, ...more);
  return rows.length > 0 ? [title, table(['position', 'time', 'event'], rows)] : [title];
}
