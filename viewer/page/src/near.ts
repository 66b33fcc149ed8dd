// Single calls and messages, which are shown when few of them are in the picture.

import type { Level, Range } from './levels.ts';
import type { Column, Data, DetailHead } from './data.ts';

/** A call. */
export interface Call {
  /** The index of its region plus 1. */
  place: number;
  begin: number;
  /** Infinity if it ends after what was read. */
  end: number;
  depth: number;
  /** The position of the event that enters it. */
  position: number;
}

/** A time in which the innermost open call is the same one. */
export interface Stretch extends Range {
  call: Call;
}

/** The calls of some locations in a range, in the order in which they are entered. */
export class NearCalls {
  readonly #locations: Map<number, number>;
  readonly #first: Column;
  readonly #columns: Record<keyof Call, Column>;

  constructor(data: Data<DetailHead>) {
    this.#locations = new Map(data.head.locations.map((location, index) => [location, index]));
    this.#first = data.column('calls.first');
    const column = (name: keyof Call) => data.column(`calls.${name}`);
    this.#columns = {
      place: column('place'), begin: column('begin'), end: column('end'), depth: column('depth'), position: column('position'),
    };
  }

  /** Returns the calls of a location; none if it was not read. */
  of(location: number): Call[] {
    const index = this.#locations.get(location);
    if (index === undefined) return [];
    const { place, begin, end, depth, position } = this.#columns;
    const calls: Call[] = [];
    for (let row = this.#first[index]!; row < this.#first[index + 1]!; row++) {
      calls.push({
        place: place[row]!, begin: begin[row]!, end: end[row]!, depth: depth[row]!, position: position[row]!,
      });
    }
    return calls;
  }

  /** Returns the calls of a location that are open at a time, the outermost one first. */
  at(location: number, time: number): Call[] {
    return this.of(location).filter(({ begin, end }) => begin <= time && time < end);
  }
}

/** Returns the times in which each of the calls of a location is the innermost one, in order. */
export function stretches(calls: Call[]): Stretch[] {
  const found: Stretch[] = [];
  const open: Call[] = [];
  let now = -Infinity;
  const pass = (time: number) => {
    for (let call = open.at(-1); call; call = open.at(-1)) {
      const end = Math.min(time, call.end);
      if (end > now) found.push({ begin: Math.max(now, call.begin), end, call });
      now = Math.max(now, end);
      if (call.end > time) break;
      open.pop();
    }
    now = Math.max(now, time);
  };
  for (const call of calls) {
    pass(call.begin);
    open.push(call);
  }
  pass(Infinity);
  return found;
}

/** Divides a range into buckets, and sums the times of the stretches of a location in each of them, without calls and bytes. */
export function bucketed(all: Stretch[], { begin, end }: Range, location: number, buckets: number): Level {
  const width = (end - begin) / buckets;
  const rows: { bucket: number; place: number; time: number }[] = [];
  for (const stretch of all) {
    const [from, to] = [Math.max(begin, stretch.begin), Math.min(end, stretch.end)];
    for (let bucket = Math.floor((from - begin) / width); begin + bucket * width < to; bucket++) {
      const start = begin + bucket * width;
      const time = Math.min(to, start + width) - Math.max(from, start);
      const last = rows.at(-1);
      if (last?.bucket === bucket && last.place === stretch.call.place) last.time += time;
      else rows.push({ bucket, place: stretch.call.place, time });
    }
  }
  const none = new Float32Array(rows.length);
  return {
    width, begin, end, row: other => (other === location ? 0 : undefined), first: Uint32Array.of(0, rows.length),
    bucket: Uint32Array.from(rows, row => row.bucket), place: Uint32Array.from(rows, row => row.place),
    time: Float64Array.from(rows, row => row.time), calls: none, bytes: none, hasTimesOnly: true,
  };
}

/** A message. */
export interface Message {
  sender: number;
  receiver: number;
  sent: number;
  received: number;
  /** NaN if it is not known, like the tag. */
  bytes: number;
  tag: number;
  send_position: number;
  receive_position: number;
}

/** Returns the messages in an answer. */
export function messages(data: Data<DetailHead>): Message[] {
  if (!data.head.has_messages) return [];
  const column = (name: keyof Message) => data.column(`messages.${name}`);
  const [sender, receiver, sent, received] = [column('sender'), column('receiver'), column('sent'), column('received')];
  const [bytes, tag] = [column('bytes'), column('tag')];
  const [send, receive] = [column('send_position'), column('receive_position')];
  return [...sender.keys()].map(row => ({
    sender: sender[row]!, receiver: receiver[row]!, sent: sent[row]!, received: received[row]!,
    bytes: bytes[row]!, tag: tag[row]!, send_position: send[row]!, receive_position: receive[row]!,
  }));
}
