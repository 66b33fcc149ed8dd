// The view of waiting: when each process waits for others, and the calls that wait longest.

import { type Colouring, colouring } from './colours.ts';
import type { Location, Overview } from './data.ts';
import { byId, element, table } from './dom.ts';
import { waitLevels } from './levels.ts';
import { linkedRow } from './overview.ts';
import type { State } from './state.ts';
import { type Change, Timeline } from './timeline.ts';

export class Waiting {
  readonly #timeline: Timeline;

  constructor(overview: Overview, locations: Location[], span: number, state: State, change: Change) {
    const levels = waitLevels(overview, span);
    const { classes, longest } = overview.head.waits;
    const shares = levels.shares(locations.keys(), { begin: 0, end: span });
    const colours: Colouring = colouring(classes, shares, ['not waiting', 'other classes']);
    byId('classes').append(...colours.colours.slice(1).map(({ title, property }) => element(
      'span', {}, element('span', { class: 'sign', style: `background: var(${property})` }), title,
    )));
    const parts = { levels, details: null, locations, span, colouring: colours };
    this.#timeline = new Timeline(byId('waiting'), parts, state, change);
    const rows = longest.map(linkedRow);
    const header = ['at', 'location', 'wait state', 'waits', 'for location', 'because of'];
    byId('waits').append(rows.length > 0 ? table(header, rows) : 'No process waits for another one.');
  }

  show(state: State): void {
    // Classes cannot be emphasised.
    this.#timeline.show({ ...state, region: '' });
  }
}
