// Levels of detail: what each location does in each bucket of time, by region.

import type { Basis, Column, Data, Head, Overview } from './data.ts';

/** A range of time in nanoseconds since the start of the run: the end is not in it. */
export interface Range {
  begin: number;
  end: number;
}

/** What is known about a region in a range. */
export interface Share {
  /** Nanoseconds in which a call of the region is the innermost open one. */
  time: number;
  calls: number;
  bytes: number;
}

/** A level: rows by location, then bucket, then region. */
export interface Level {
  /** Nanoseconds of a bucket. */
  width: number;
  /** The start of the first bucket, and the end of the time that the level has, which may be within the last bucket. */
  begin: number;
  end: number;
  /** Returns the index of a location in `first`. */
  row(location: number): number | undefined;
  /** The first row of each location, and the number of rows. */
  first: Column;
  bucket: Column;
  /** 0 is the time without an open call, others are indices of regions plus 1. */
  place: Column;
  time: Column;
  calls: Column;
  bytes: Column;
  /** Whether calls and bytes are not known. */
  hasTimesOnly: boolean;
}

/** What is known of parts of the run in more detail. */
export interface Finer {
  /** Returns a level that has all of the range, if there is one. */
  level(location: number, range: Range): Level | null;
}

/** Takes a row of a level, and the part of the row's bucket that is in the range, from 0 to 1. */
type Visit = (place: number, row: number, part: number) => void;

/** Returns a level of the whole run, whose columns begin with a prefix. If it has no bytes, they are 0. */
function wholeLevel(data: Data<Head>, prefix: string, width: number, span: number): Level {
  const column = (name: string) => data.column(`${prefix}.${name}`);
  const time = column('time');
  const hasBytes = `${prefix}.bytes` in data.head.columns;
  return {
    width, begin: 0, end: span, row: location => location, first: column('first'), bucket: column('bucket'),
    place: column('place'), time, calls: column('calls'), bytes: hasBytes ? column('bytes') : new Float64Array(time.length),
    hasTimesOnly: false,
  };
}

/** Returns the levels of the timeline. */
export function timelineLevels(basis: Basis): Levels {
  const { span, regions, widths } = basis.head;
  return new Levels(widths.map((width, level) => wholeLevel(basis, `timeline.${level}`, width, span)), regions);
}

/** Returns the times in which processes wait, as a level whose places are classes of wait states. */
export function waitLevels(overview: Overview, span: number): Levels {
  const { width, classes } = overview.head.waits;
  return new Levels(width > 0 ? [wholeLevel(overview, 'waits', width, span)] : [], classes);
}

export class Levels {
  readonly #levels: Level[];
  readonly #names: string[];
  /** Levels for parts of the run that are finer than those of the whole run. */
  finer: Finer | null = null;

  /** The names are those of the places after the first one. */
  constructor(levels: Level[], names: string[]) {
    this.#levels = levels;
    this.#names = names;
  }

  /** The nanoseconds of the shortest buckets of the whole run. */
  get finest(): number {
    return this.#levels[0]?.width ?? Infinity;
  }

  /** Returns the name of a place. */
  name(place: number): string {
    return this.#names[place - 1] ?? 'no call';
  }

  /**
   * Returns the coarsest level whose buckets are no longer than this many nanoseconds; otherwise, the finest one that a
   * location has in a range, and of which enough is known.
   */
  #level(nanoseconds: number, location: number, range: Range, needsTimesOnly: boolean): Level | undefined {
    const found = this.#levels.findLast(level => level.width <= nanoseconds);
    const finer = found ? null : this.finer?.level(location, range);
    return found ?? (finer && (needsTimesOnly || !finer.hasTimesOnly) ? finer : this.#levels[0]);
  }

  /**
   * Adds the time of each place in each of `columns` equal parts of a range to `sums`, whose index is the part times the
   * number of colours plus the colour of the place.
   */
  addTimes(location: number, range: Range, columns: number, colours: Uint8Array, count: number, sums: Float32Array): void {
    const of = (range.end - range.begin) / columns;
    const level = this.#level(of, location, range, true);
    if (!level) return;
    const [first, end] = rows(level, location);
    for (let row = find(level, first, end, range.begin); row < end; row++) {
      const start = level.begin + level.bucket[row]! * level.width;
      const length = Math.min(level.width, level.end - start);
      const begin = (start - range.begin) / of;
      if (begin >= columns) break;
      const until = Math.min(columns, begin + length / of);
      const colour = colours[level.place[row]!]!;
      const time = level.time[row]!;
      // The time is spread evenly over the bucket.
      for (let column = Math.max(0, Math.floor(begin)); column < until; column++) {
        const part = Math.min(until, column + 1) - Math.max(begin, column);
        sums[column * count + colour]! += (time * part) / length;
      }
    }
  }

  /** Sums what locations do in a range, by place. A bucket that is partly in the range counts in part. */
  shares(locations: Iterable<number>, range: Range): Share[] {
    // The first place is the time without an open call.
    const places = this.#names.length + 1;
    const shares = Array.from({ length: places }, () => ({ time: 0, calls: 0, bytes: 0 }));
    // A thousand buckets are exact enough, unless only the finest ones are.
    for (const location of locations) {
      const level = this.#level((range.end - range.begin) / 1024, location, range, false);
      if (!level) continue;
      visit(level, location, range, (place, row, part) => {
        const share = shares[place]!;
        share.time += level.time[row]! * part;
        share.calls += level.calls[row]! * part;
        share.bytes += level.bytes[row]! * part;
      });
    }
    return shares;
  }

}

/** Returns the first row of a location in a level, and the row after its last one. */
function rows(level: Level, location: number): [first: number, end: number] {
  const row = level.row(location);
  return row === undefined ? [0, 0] : [level.first[row]!, level.first[row + 1]!];
}

function visit(level: Level, location: number, range: Range, take: Visit): void {
  const [first, end] = rows(level, location);
  for (let row = find(level, first, end, range.begin); row < end; row++) {
    const begin = level.begin + level.bucket[row]! * level.width;
    if (begin >= range.end) break;
    const length = Math.min(level.width, level.end - begin);
    const inside = Math.min(range.end, begin + length) - Math.max(range.begin, begin);
    take(level.place[row]!, row, inside / length);
  }
}

/** Returns the first of the rows from `least` to `most` whose bucket ends after a time. */
function find(level: Level, least: number, most: number, time: number): number {
  const bucket = Math.floor((time - level.begin) / level.width);
  while (least < most) {
    const middle = (least + most) >> 1;
    if (level.bucket[middle]! < bucket) least = middle + 1;
    else most = middle;
  }
  return least;
}
