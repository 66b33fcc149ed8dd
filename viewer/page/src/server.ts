// The server of the page, which sends data on demand.

import type { Range } from './levels.ts';
import { Data, type DetailHead, type Head } from './data.ts';

/** The milliseconds after which data is asked for again that is being prepared. */
const AGAIN = 200;

/** An event as text. */
export interface EventLine {
  position: number;
  time: number;
  text: string;
}

/** Events of a location. */
export interface EventLines {
  /** The number of all events in the range. */
  total: number;
  /** The first ones. */
  events: EventLine[];
}

/** Asks for data at an address within the page's; waits if it is being prepared. */
export async function ask(address: string): Promise<Response> {
  for (;;) {
    const response = await fetch(address);
    if (response.status === 200) return response;
    if (response.status !== 202) throw new Error(await response.text());
    await new Promise(resolve => { setTimeout(resolve, AGAIN); });
  }
}

/** Returns data of the page. */
export async function data<H extends Head>(name: string): Promise<Data<H>> {
  const response = await ask(name);
  return new Data(await response.arrayBuffer());
}

function query({ begin, end }: Range, locations: string, more: Record<string, string> = {}): string {
  return `${new URLSearchParams({ begin: `${Math.max(0, begin)}`, end: `${end}`, locations, ...more })}`;
}

/** Returns what locations do in a range, in at most so many buckets. */
export async function detail(range: Range, locations: number[], buckets: number): Promise<Data<DetailHead>> {
  return data(`detail?${query(range, ranges(locations), { buckets: `${buckets}` })}`);
}

/** Returns the events of a location in a range. */
export async function events(range: Range, location: number): Promise<EventLines> {
  const response = await ask(`events?${query(range, `${location}`)}`);
  return response.json();
}

/** Writes ascending numbers as ranges, such as `0-3,7`. */
export function ranges(numbers: number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join();
}
