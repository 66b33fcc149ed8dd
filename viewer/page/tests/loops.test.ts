// The iterations of loops.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LoopTimes } from '../src/loops.ts';
import { packed } from './packed.ts';

const columns = {
  'loops.0.begin': [0, 9, 22],
  'loops.0.end': [10, 21, 25],
  'loops.0.longest': [8, 12, 3],
};
const times = (each: number, iterations: number) => {
  return new LoopTimes(packed(columns, { loops: [{ number: '7', iterations, each, share: 0.5 }] }), 0);
};

test('rows have the time of their iterations', () => {
  assert.deepEqual(times(1, 3).between(1, 2), { first: 1, last: 1, range: { begin: 9, end: 21 }, longest: 12 });
  assert.deepEqual(times(1, 3).between(0, 2), { first: 0, last: 1, range: { begin: 0, end: 21 }, longest: 12 });
});

test('a row may have several iterations', () => {
  const { first, last } = times(10, 25).between(1, 3);
  assert.deepEqual([first, last], [10, 24]);
});

test('the slowest iteration is found', () => {
  assert.equal(times(1, 3).slowest, 1);
  assert.equal(times(1, 3).greatest, 12);
});
