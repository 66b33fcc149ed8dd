// Details of the part of the run that is shown, which are asked for when it is looked at.

import type { Finer, Level, Range } from './levels.ts';
import { bucketed, type Message, messages, NearCalls, stretches } from './near.ts';
import type { Data, DetailHead } from './data.ts';

/** What is known of parts of the run besides the timeline. */
export interface Detailed extends Finer {
  /** Whether an answer is awaited. */
  readonly isAsking: boolean;
  /** Returns the calls of a location, if they are known in all of the range. */
  calls(location: number, range: Range): NearCalls | null;
  /** Returns messages, among them all that are under way in the range, if they are known. */
  messages(range: Range): Message[];
  /** Asks for what is looked at, unless it is known. */
  want(range: Range, locations: number[], columns: number): void;
  /** What is looked at need not be known any more. */
  forget(): void;
}

/** The number of buckets into which known calls are divided. */
const BUCKETS = 2048;

/** A part of the run whose calls and messages are known. */
class Excerpt implements Range {
  readonly begin: number;
  readonly end: number;
  readonly calls: NearCalls;
  readonly messages: Message[];
  /** The buckets of locations that were looked at. */
  readonly #levels = new Map<number, Level>();

  constructor(data: Data<DetailHead>) {
    this.begin = data.head.begin;
    this.end = data.head.end;
    this.calls = new NearCalls(data);
    this.messages = messages(data);
  }

  level(location: number): Level {
    const known = this.#levels.get(location);
    if (known) return known;
    const level = bucketed(stretches(this.calls.of(location)), this, location, BUCKETS);
    this.#levels.set(location, level);
    return level;
  }
}

/** Details of parts of a run that are known. */
export class KnownDetails implements Detailed {
  readonly isAsking = false;
  readonly #excerpts: Excerpt[];

  constructor(parts: Data<DetailHead>[]) {
    this.#excerpts = parts.map(data => new Excerpt(data));
  }

  level(location: number, range: Range): Level | null {
    return this.#around(range)?.level(location) ?? null;
  }

  calls(_location: number, range: Range): NearCalls | null {
    return this.#around(range)?.calls ?? null;
  }

  messages(range: Range): Message[] {
    return this.#around(range)?.messages ?? [];
  }

  want(): void {}

  forget(): void {}

  /** Returns a part that has all of the range, if there is one. */
  #around(range: Range): Excerpt | undefined {
    return this.#excerpts.find(excerpt => isWithin(range, excerpt));
  }
}

/** Asks for what locations do in a range. */
type Ask = (range: Range, locations: number[], buckets: number) => Promise<Data<DetailHead>>;

/** What is looked at. */
interface Wish {
  range: Range;
  /** Indices of locations, in ascending order. */
  locations: number[];
  /** The number of pixels that show the range. */
  columns: number;
}

/** What is known of a part of the run. */
interface Answer extends Range {
  level: Level;
  locations: Set<number>;
  calls: NearCalls | null;
  /** Whether more would be known if it were asked for again. */
  isOld: boolean;
}

/** A part that is read is longer than what is looked at by this factor, so that it can be moved. */
const MARGIN = 1.5;

/** The milliseconds after which a part is read again whose messages were not known. */
const AGAIN = 500;

/** A part is read again when what is looked at is shorter by this factor. */
const FINER = 8;

/** Details that are asked for. */
export class Details implements Detailed {
  readonly #ask: Ask;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  /** What is known of the last part: locations that took too long were asked for again. */
  #answers: Answer[] = [];
  #messages: Message[] = [];
  #wish: Wish | null = null;
  #isAsking = false;
  /** Whether nothing is asked for any more, because the last question failed. */
  #hasFailed = false;

  /** `changed` is called when more is known, and `failed` when no more will be. */
  constructor(ask: Ask, changed: () => void, failed: (error: unknown) => void) {
    this.#ask = ask;
    this.#changed = changed;
    this.#failed = failed;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Returns buckets of a location, if they are known in all of the range. */
  level(location: number, range: Range): Level | null {
    return this.#answer(location, range)?.level ?? null;
  }

  calls(location: number, range: Range): NearCalls | null {
    return this.#answer(location, range)?.calls ?? null;
  }

  messages(range: Range): Message[] {
    const [last] = this.#answers;
    return last && isWithin(range, last) ? this.#messages : [];
  }

  want(range: Range, locations: number[], columns: number): void {
    this.#wish = { range, locations, columns };
    this.#fulfil();
  }

  forget(): void {
    this.#wish = null;
  }

  /** Asks until all that is looked at is known. */
  async #fulfil(): Promise<void> {
    if (this.#isAsking) return;
    let gap = this.#gap();
    if (!gap) return;
    this.#isAsking = true;
    try {
      for (; gap; gap = this.#gap()) {
        const data = await this.#ask(gap.part, gap.locations, Math.ceil(gap.columns * MARGIN));
        if (gap.part !== this.#answers[0]) [this.#answers, this.#messages] = [[], []];
        this.#take(gap.part, data);
        this.#changed();
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#failed(error);
    } finally {
      this.#isAsking = false;
      this.#changed();
    }
  }

  /** Returns what has to be asked for; null if all that is looked at is known. */
  #gap(): { part: Range; locations: number[]; columns: number } | null {
    if (!this.#wish || this.#hasFailed) return null;
    const { columns } = this.#wish;
    const part = this.#part(this.#wish);
    const answers = part === this.#answers[0] ? this.#answers : [];
    const known = new Set(answers.flatMap(answer => [...answer.locations]));
    const locations = this.#wish.locations.filter(location => !known.has(location));
    return locations.length > 0 ? { part, locations, columns } : null;
  }

  /** Returns the part to ask for: that of the last answers if it is close enough. */
  #part({ range }: Wish): Range {
    const [last] = this.#answers;
    const length = range.end - range.begin;
    if (last && !last.isOld && isWithin(range, last) && last.end - last.begin <= FINER * length) return last;
    const more = ((MARGIN - 1) / 2) * length;
    return { begin: Math.max(0, range.begin - more), end: range.end + more };
  }

  #take({ begin, end }: Range, data: Data<DetailHead>): void {
    const { head } = data;
    const column = (name: string) => (head.width > 0 ? data.column(name) : new Float64Array());
    const rows = new Map(head.locations.map((location, index) => [location, index]));
    const level: Level = {
      width: head.width, begin: head.begin, end: head.end,
      row: location => rows.get(location),
      first: column('first'), bucket: column('bucket'), place: column('place'),
      time: column('time'), calls: column('calls'), bytes: column('bytes'), hasTimesOnly: false,
    };
    const calls = head.has_calls ? new NearCalls(data) : null;
    this.#answers.push({ begin, end, level, locations: new Set(head.locations), calls, isOld: false });
    this.#messages = this.#messages.concat(messages(data));
    if (head.awaits_messages) setTimeout(() => this.#readAgain(), AGAIN);
  }

  /** Reads the part again, and shows the last answers until then. */
  #readAgain(): void {
    for (const answer of this.#answers) answer.isOld = true;
    this.#fulfil();
  }

  #answer(location: number, range: Range): Answer | null {
    const found = this.#answers.find(answer => answer.locations.has(location) && isWithin(range, answer));
    return found && found.level.width > 0 ? found : null;
  }
}

function isWithin(range: Range, other: Range): boolean {
  return other.begin <= range.begin && range.end <= other.end;
}
