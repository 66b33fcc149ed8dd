// Histograms.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { regular } from '../src/histogram.ts';

test('regular bins have all durations', () => {
  const bins = regular([[0, 1, 4], [1, 3, 6], [9, 10, 2]], 10);
  assert.deepEqual(bins.map(([, , number]) => number), [4, 3, 3, 0, 0, 0, 0, 0, 0, 2]);
  assert.deepEqual(bins[0]!.slice(0, 2), [0, 1]);
  const few = regular([[0, 1, 4], [1, 3, 6], [9, 10, 2]], 2);
  assert.deepEqual(few.map(([, , number]) => number), [10, 2]);
  assert.deepEqual(regular([[5, 5, 7]], 10), [[5, 5, 7]]);
  assert.deepEqual(regular([], 10), []);
});
