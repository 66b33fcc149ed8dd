// The data of a page: a head in JSON, and columns as typed arrays.

/** A location of the trace. */
export interface Location {
  /** The name on the command line. */
  label: string;
  /** The name in the trace; empty if it has none. */
  name: string;
}

/** A statement about the run, and the part of the page that shows it. */
export interface Finding {
  text: string;
  /** A state of the page that shows it, as in its address after `#`; empty if there is none. */
  link: string;
}

/** A row of a table: texts, and a state of the page that shows it; empty if there is none. */
export interface FactRow {
  cells: string[];
  link: string;
}

/** A table of the overview. */
export interface FactTable {
  title: string;
  header: string[];
  rows: FactRow[];
}

/** An outermost loop of the program, whose iterations are columns. */
export interface LoopHead {
  /** The number of the loop as a construct of the program. */
  number: string;
  iterations: number;
  /** The number of iterations of a row. */
  each: number;
  /** The share of the time of all processes, from 0 to 1. */
  share: number;
}

/** A line of the model of the program. */
export interface ModelLine {
  text: string;
  /** The number of loops and groups around it. */
  depth: number;
  /** The outermost loop of the program that it begins, and its share of the time. */
  loop?: { number: string; share: number };
}

/** A form of the model of the program. */
export interface ModelForm {
  title: string;
  lines: ModelLine[];
  /** The number of lines that are left out. */
  left_out: number;
}

/** A pattern of events. */
export interface PatternHead {
  name: string;
  locations: string;
  occurrences: number;
  /** The number of events of an occurrence. */
  events: number;
  seconds: number;
  /** The bins of the durations of occurrences, in seconds. */
  bins: [begin: number, end: number, occurrences: number][];
  /** The items of the pattern. */
  text: string[];
}

/** The patterns of events. */
export interface PatternsHead {
  summary: string;
  /** The pattern with the most time first. */
  patterns: PatternHead[];
  /** Unusual occurrences, by what takes longer than usual. */
  unusual: { title: string; rows: FactRow[] }[];
}

/** A metric of a location, whose values are columns. */
export interface SeriesHead {
  location: number;
  name: string;
  unit: string;
  /** Whether it counts from the beginning: its values never decrease. */
  is_counter: boolean;
}

/** Metrics over time, besides columns. */
export interface MetricsHead {
  /** The nanoseconds of a bucket. */
  width: number;
  series: SeriesHead[];
}

/** When processes wait, besides columns. */
export interface WaitsHead {
  /** The nanoseconds of a bucket; 0 if nothing is known. */
  width: number;
  /** The classes of wait states. */
  classes: string[];
  /** The longest wait states. */
  longest: FactRow[];
}

/** How late locations are at each logical step, besides columns. */
export interface LatenessHead {
  /** A line about the steps. */
  summary: string;
  steps: number;
  /** The number of steps in a range. */
  steps_of_range: number;
  /** The header of each table of origins. */
  header: string[];
  /** Where lateness begins. */
  origins: { title: string; rows: FactRow[] }[];
}

/** The place of a column in the data after the head. */
interface ColumnPlace {
  type: keyof typeof TYPES;
  offset: number;
  length: number;
}

/** What data has besides columns. */
export interface Head {
  columns: Record<string, ColumnPlace>;
}

/** What the page shows at once. */
export interface BasisHead extends Head {
  /** The length of the run in nanoseconds. */
  span: number;
  /** The names of the regions. */
  regions: string[];
  locations: Location[];
  /** The nanoseconds of a bucket of each level of the timeline, the finest level first. */
  widths: number[];
}

/** What analyses find out about the run. */
export interface OverviewHead extends Head {
  summary: string;
  /** The nanoseconds of all locations with calls together. */
  total: number;
  findings: Finding[];
  tables: FactTable[];
  loops: LoopHead[];
  waits: WaitsHead;
  lateness: LatenessHead;
  /** The forms of the model of the program; none if it is too irregular for one. */
  model: ModelForm[];
  patterns: PatternsHead;
  metrics: MetricsHead;
}

/** What happens in a part of the run. */
export interface DetailHead extends Head {
  begin: number;
  end: number;
  /** The nanoseconds of a bucket; 0 if there are too many events. */
  width: number;
  /** The locations that the answer has, as indices. */
  locations: number[];
  has_calls: boolean;
  has_messages: boolean;
  /** Whether messages will be known later. */
  awaits_messages: boolean;
}

/** Data of a page. */
export type Basis = Data<BasisHead>;
export type Overview = Data<OverviewHead>;

const TYPES = { u32: Uint32Array, f32: Float32Array, f64: Float64Array };

export type Column = Uint32Array | Float32Array | Float64Array;

/** Data with a head. */
export class Data<H extends Head> {
  readonly head: H;
  readonly #data: ArrayBuffer;
  readonly #begin: number;

  /** Reads the data: the length of the head, the head, and columns at multiples of eight bytes. */
  constructor(data: ArrayBuffer) {
    const length = new DataView(data).getUint32(0, true);
    this.head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    this.#data = data;
    this.#begin = Math.ceil((4 + length) / 8) * 8;
  }

  /** Returns a column, without copying it. */
  column(name: string): Column {
    const place = this.head.columns[name];
    if (place === undefined) throw new Error(`the data have no column ${name}`);
    return new TYPES[place.type](this.#data, this.#begin + place.offset, place.length);
  }
}

/** Unpacks data that is compressed with gzip and written in Base64. */
export async function unpack<H extends Head>(text: string): Promise<Data<H>> {
  const packed = Uint8Array.from(atob(text), char => char.charCodeAt(0));
  const stream = new DecompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const written = writer.write(packed).then(() => writer.close());
  const [data] = await Promise.all([new Response(stream.readable).arrayBuffer(), written]);
  return new Data(data);
}
