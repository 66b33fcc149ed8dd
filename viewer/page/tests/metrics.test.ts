// Statistics of metrics.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { growth, statistics } from '../src/metrics.ts';
import { amount } from '../src/units.ts';

const columns = { least: [1, NaN, 3, 0], mean: [2, NaN, 4, 6], greatest: [3, NaN, 5, 9] };

test('buckets without values do not count', () => {
  assert.deepEqual(statistics(columns, 10, { begin: 0, end: 30 }), { least: 1, mean: 3, greatest: 5 });
  assert.deepEqual(statistics(columns, 10, { begin: 25, end: 1000 }), { least: 0, mean: 5, greatest: 9 });
  assert.equal(statistics(columns, 10, { begin: 10, end: 20 }), null);
});

test('growth is from one bucket with values to the next', () => {
  assert.deepEqual([...growth([NaN, 1, 3, NaN, 9], 1e9)], [NaN, NaN, 2, NaN, 3]);
});

test('amounts have any size', () => {
  assert.deepEqual([0, 0.5, 1234.567, 125_500_000, 2e20, -2.5e-7].map(amount), ['0', '0.5', '1,234.6', '125.5M', '2.00e20', '-2.50e-7']);
});
