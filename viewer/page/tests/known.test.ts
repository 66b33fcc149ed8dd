// Calls and messages of parts of a run that are in the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Data, DetailHead } from '../src/data.ts';
import { KnownDetails } from '../src/details.ts';
import { bucketed } from '../src/near.ts';
import { packed } from './packed.ts';

function part(begin: number, end: number): Data<DetailHead> {
  const data = packed({
    'calls.first': [0, 2, 2], 'calls.place': [1, 2], 'calls.begin': [begin - 5, begin + 20], 'calls.end': [Infinity, begin + 50],
    'calls.depth': [0, 1], 'calls.position': [3, 7],
  });
  Object.assign(data.head, { begin, end, width: 0, locations: [0, 1], has_calls: true, has_messages: false });
  return data as unknown as Data<DetailHead>;
}

test('calls are known within a part, and nowhere else', () => {
  const known = new KnownDetails([part(100, 200), part(1000, 1100)]);
  assert.equal(known.calls(0, { begin: 110, end: 190 })?.of(0)[1]?.begin, 120);
  assert.equal(known.calls(0, { begin: 1000, end: 1100 })?.of(0)[1]?.begin, 1020);
  assert.equal(known.calls(0, { begin: 150, end: 250 }), null);
  assert.equal(known.level(0, { begin: 300, end: 310 }), null);
  assert.deepEqual(known.messages({ begin: 110, end: 190 }), []);
});

test('buckets have the time in which a call is the innermost one', () => {
  const level = new KnownDetails([part(100, 200)]).level(0, { begin: 110, end: 120 })!;
  assert.ok(level.hasTimesOnly);
  const sum = (place: number) => [...level.time].reduce((all, time, row) => all + (level.place[row] === place ? time : 0), 0);
  assert.ok(Math.abs(sum(1) - 70) < 1e-9);
  assert.ok(Math.abs(sum(2) - 30) < 1e-9);
  assert.ok([...level.bucket].every((bucket, row) => row === 0 || bucket >= level.bucket[row - 1]!));
  assert.equal(level.row(1), undefined);
});

test('a call in several buckets has a row in each', () => {
  const call = { place: 4, begin: 5, end: 25, depth: 0, position: 0 };
  const level = bucketed([{ begin: 5, end: 25, call }], { begin: 0, end: 40 }, 3, 4);
  assert.deepEqual([...level.bucket], [0, 1, 2]);
  assert.deepEqual([...level.time], [5, 10, 5]);
  assert.equal(level.row(3), 0);
});
