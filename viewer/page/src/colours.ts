// The colours of regions: those that take the most time have their own, the others share one for each kind.

import type { Share } from './levels.ts';

/** A colour, with the places in the data that have it. */
export interface Colour {
  title: string;
  /** The name of a custom property of the style sheet. */
  property: string;
}

/** The colour of each place, as an index of `colours`. */
export interface Colouring {
  colours: Colour[];
  of: Uint8Array;
}

const SERIES = ['--series-0', '--series-1', '--series-2', '--series-3', '--series-5', '--series-6'];

/**
 * Chooses colours by the time of each place in the whole run. The first place, and those without colours of their own, have the
 * titles `none` and `others`.
 */
export function colouring(
  names: string[], shares: Share[], [none, others]: [string, string] = ['no call', 'other regions'],
): Colouring {
  const colours: Colour[] = [{ title: none, property: '--ground' }, { title: others, property: '--series-4' }];
  const of = new Uint8Array(shares.length).fill(1);
  of[0] = 0;
  const places = [...names.keys()].map(name => name + 1);
  places.sort((a, b) => shares[b]!.time - shares[a]!.time);
  for (const [rank, property] of SERIES.entries()) {
    const place = places[rank];
    if (place === undefined) break;
    of[place] = colours.length;
    colours.push({ title: names[place - 1]!, property });
  }
  return { colours, of };
}

/** The number of colours that show an amount, `--level-1` to `--level-8`; `--level-0` shows none. */
export const LEVELS = 8;

/** Returns the colour of an amount, from 1 for the least one to `LEVELS` for the greatest one; 0 for none. */
export function level(amount: number, least: number, greatest: number): number {
  if (amount <= 0) return 0;
  if (least >= greatest) return LEVELS;
  const share = Math.log(amount / least) / Math.log(greatest / least);
  return 1 + Math.min(LEVELS - 1, Math.floor(share * LEVELS));
}

/** Returns a colour as a pixel: red is the lowest byte. */
export function pixel(css: string): number {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d')!;
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  return new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0]!;
}

/** Returns the value of a custom property. */
export function property(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function channels(colour: number): [red: number, green: number, blue: number] {
  return [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
}

/** Returns the colour of a pixel. */
export function css(colour: number): string {
  return `rgb(${channels(colour).join()})`;
}

/** Returns black or white, whichever is easier to read on a pixel. */
export function inkOn(colour: number): string {
  const [red, green, blue] = channels(colour);
  return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? '#000' : '#fff';
}
