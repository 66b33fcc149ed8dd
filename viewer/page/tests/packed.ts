// Data for tests.

import { Data, type Head } from '../src/data.ts';

/** Returns data with columns of numbers, and with what is given of its head. */
export function packed<H extends Head>(columns: Record<string, number[]>, head: Partial<H> = {}): Data<H> {
  const places: Record<string, object> = {};
  let offset = 0;
  for (const [name, values] of Object.entries(columns)) {
    places[name] = { type: 'f64', offset, length: values.length };
    offset += 8 * values.length;
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...head, columns: places }));
  const begin = Math.ceil((4 + text.length) / 8) * 8;
  const data = new ArrayBuffer(begin + offset);
  new DataView(data).setUint32(0, text.length, true);
  new Uint8Array(data, 4).set(text);
  new Float64Array(data, begin).set(Object.values(columns).flat());
  return new Data(data);
}
