// Numbers, durations, sizes and shares for readers.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const rounded = new Intl.NumberFormat('en', { maximumSignificantDigits: 5 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

const DURATIONS: [number, string][] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const SIZES: [number, string][] = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']];

function scaled(value: number, units: [number, string][]): string {
  const [unit, name] = units.find(([unit]) => Math.abs(value) >= unit) ?? units.at(-1)!;
  return `${precise.format(value / unit)} ${name}`;
}

/** A number of things. */
export function count(value: number): string {
  return whole.format(value);
}

/** An amount of any size. */
export function amount(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 0.001)) return value.toExponential(2).replace('e+', 'e');
  return size >= 1e6 ? compact.format(value) : rounded.format(value);
}

/** A number of nanoseconds. */
export function duration(nanoseconds: number): string {
  return nanoseconds === 0 ? '0 s' : scaled(nanoseconds, DURATIONS);
}

/** A number of bytes. */
export function size(bytes: number): string {
  return bytes === 0 ? '0 B' : scaled(bytes, SIZES);
}

/** A share, from 0 to 1. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A time in seconds, with as many decimals as tell times apart that differ by `step` nanoseconds. */
export function time(nanoseconds: number, step: number): string {
  const decimals = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(Math.max(1, step)))));
  return `${(nanoseconds / 1e9).toFixed(decimals)} s`;
}

/** Returns a step of 1, 2 or 5 times a power of 10 that divides a range into at most `most` parts. */
export function niceStep(range: number, most: number): number {
  const least = range / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find(factor => factor * power >= least)!;
}
