// What the page shows, which is also in its address: each state is a link.

import type { Range } from './levels.ts';

/** A picture of the run. */
export type View = (typeof VIEWS)[number];

const VIEWS = ['timeline', 'waiting', 'lateness', 'loops', 'communication', 'calls', 'patterns', 'metrics'] as const;

export interface State {
  view: View;
  /** The part of the run that the timeline shows. */
  shown: Range;
  /** The part of the run whose profile is shown; all that is shown if null. */
  selected: Range | null;
  /** The index of the location that was chosen; all locations if null. */
  location: number | null;
  /** The name of the region that is emphasised; none if empty. */
  region: string;
  /** The number of the loop whose messages are shown; the whole program if empty. */
  loop: string;
}

/** Returns the address of a state, after `#`. */
export function toHash(state: State): string {
  const parts = new URLSearchParams();
  const text = ({ begin, end }: Range) => `${Math.round(begin)}..${Math.round(end)}`;
  if (state.view !== 'timeline') parts.set('view', state.view);
  parts.set('t', text(state.shown));
  if (state.selected) parts.set('selected', text(state.selected));
  if (state.location !== null) parts.set('location', `${state.location}`);
  if (state.region) parts.set('region', state.region);
  if (state.loop) parts.set('loop', state.loop);
  return `${parts}`;
}

/** Returns the state with an address, within a run of so many nanoseconds and locations. */
export function fromHash(hash: string, span: number, locations: number): State {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const location = Number.parseInt(parts.get('location') ?? '', 10);
  return {
    view: VIEWS.find(view => view === parts.get('view')) ?? 'timeline',
    shown: range(parts.get('t'), span) ?? { begin: 0, end: span },
    selected: range(parts.get('selected'), span),
    location: location >= 0 && location < locations ? location : null,
    region: parts.get('region') ?? '',
    loop: parts.get('loop') ?? '',
  };
}

function range(text: string | null, span: number): Range | null {
  const [begin, end] = (text ?? '').split('..').map(Number);
  const isRange = begin !== undefined && end !== undefined && begin < end;
  return isRange ? within({ begin, end }, span) : null;
}

/** The shortest range that can be shown, in nanoseconds. */
const SHORTEST = 10;

/** Moves and shortens a range so that it is within the run. */
export function within({ begin, end }: Range, span: number): Range {
  const length = Math.min(span, Math.max(SHORTEST, end - begin));
  const from = Math.min(Math.max(0, begin), span - length);
  return { begin: from, end: from + length };
}

/** Scales a range by a factor around a time that stays where it is. */
export function zoomed(range: Range, factor: number, around: number, span: number): Range {
  const length = Math.min(span, Math.max(SHORTEST, (range.end - range.begin) * factor));
  const share = (around - range.begin) / (range.end - range.begin);
  const begin = around - share * length;
  return within({ begin, end: begin + length }, span);
}
