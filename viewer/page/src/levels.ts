// Levels of detail: what each location does in each bucket of time, by region.

import type { Column, Report } from './report.ts';

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
interface Level {
  /** Nanoseconds of a bucket. */
  width: number;
  /** The first row of each location, and the number of rows. */
  first: Column;
  bucket: Column;
  /** 0 is the time without an open call, others are indices of regions plus 1. */
  place: Column;
  time: Column;
  calls: Column;
  bytes: Column;
}

/** Calls `visit` with a row of a level, and with the part of the row's bucket that is in the range, from 0 to 1. */
type Visit = (place: number, row: number, part: number) => void;

export class Levels {
  readonly #levels: Level[];
  readonly #regions: string[];
  /** The end of the run, which may be within the last bucket. */
  readonly #end: number;

  constructor(report: Report) {
    this.#end = report.head.span;
    this.#regions = report.head.regions;
    this.#levels = report.head.widths.map((width, level) => {
      const column = (name: string) => report.column(`timeline.${level}.${name}`);
      const [first, bucket, place] = [column('first'), column('bucket'), column('place')];
      const [time, calls, bytes] = [column('time'), column('calls'), column('bytes')];
      return { width, first, bucket, place, time, calls, bytes };
    });
  }

  /** Returns the name of a place: that of its region, if it has one. */
  name(place: number): string {
    return this.#regions[place - 1] ?? 'no call';
  }

  /** Returns the coarsest level whose buckets are no longer than this many nanoseconds; otherwise, the finest one. */
  #level(nanoseconds: number): Level | undefined {
    return this.#levels.findLast(level => level.width <= nanoseconds) ?? this.#levels[0];
  }

  /**
   * Adds the time of each place in each of `columns` equal parts of a range to `sums`, whose index is the part times the
   * number of colours plus the colour of the place.
   */
  addTimes(location: number, range: Range, columns: number, colours: Uint8Array, count: number, sums: Float32Array): void {
    const of = (range.end - range.begin) / columns;
    const level = this.#level(of);
    if (!level) return;
    const end = level.first[location + 1]!;
    for (let row = this.#find(level, location, range.begin); row < end; row++) {
      const start = level.bucket[row]! * level.width;
      const length = Math.min(level.width, this.#end - start);
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
    const places = this.#regions.length + 1;
    const shares = Array.from({ length: places }, () => ({ time: 0, calls: 0, bytes: 0 }));
    // A thousand buckets are exact enough, unless only the finest ones are.
    const level = this.#level((range.end - range.begin) / 1024);
    if (!level) return shares;
    for (const location of locations) {
      this.#visit(level, location, range, (place, row, part) => {
        const share = shares[place]!;
        share.time += level.time[row]! * part;
        share.calls += level.calls[row]! * part;
        share.bytes += level.bytes[row]! * part;
      });
    }
    return shares;
  }

  #visit(level: Level, location: number, range: Range, visit: Visit): void {
    const end = level.first[location + 1]!;
    for (let row = this.#find(level, location, range.begin); row < end; row++) {
      const begin = level.bucket[row]! * level.width;
      if (begin >= range.end) break;
      const length = Math.min(level.width, this.#end - begin);
      const inside = Math.min(range.end, begin + length) - Math.max(range.begin, begin);
      visit(level.place[row]!, row, inside / length);
    }
  }

  /** Returns the first row of a location whose bucket ends after a time. */
  #find(level: Level, location: number, time: number): number {
    const bucket = Math.floor(time / level.width);
    let [least, most] = [level.first[location]!, level.first[location + 1]!];
    while (least < most) {
      const middle = (least + most) >> 1;
      if (level.bucket[middle]! < bucket) least = middle + 1;
      else most = middle;
    }
    return least;
  }
}
