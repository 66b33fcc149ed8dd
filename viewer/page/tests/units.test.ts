// Numbers for readers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { count, duration, niceStep, percent, size, time } from '../src/units.ts';

test('numbers have three digits and a unit', () => {
  assert.equal(duration(0), '0 s');
  assert.equal(duration(1234), '1.23 µs');
  assert.equal(duration(29_432_130), '29.4 ms');
  assert.equal(size(20_480), '20.5 kB');
  assert.equal(count(4_593_412), '4,593,412');
  assert.equal(percent(0.0567), '5.7 %');
});

test('times have the decimals that tell them apart', () => {
  assert.equal(time(1_500_000_000, 1e9), '2 s');
  assert.equal(time(1_500_000_000, 1e8), '1.5 s');
  assert.equal(time(1_500_000_010, 10), '1.50000001 s');
});

test('steps are 1, 2 or 5', () => {
  assert.equal(niceStep(100, 10), 10);
  assert.equal(niceStep(100, 9), 20);
  assert.equal(niceStep(1e9, 3), 5e8);
});
