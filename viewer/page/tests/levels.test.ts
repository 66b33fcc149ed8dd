// Sums of levels of detail.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Levels, timelineLevels, waitLevels } from '../src/levels.ts';
import { packed } from './packed.ts';

/** Two locations, one region, and two levels: four buckets of 100 ns, and one of 400 ns. */
function levels(span = 400): Levels {
  const columns: Record<string, number[]> = {
    'timeline.0.first': [0, 5, 6],
    'timeline.0.bucket': [0, 1, 1, 2, 3, 1],
    'timeline.0.place': [1, 0, 1, 1, 1, 0],
    'timeline.0.time': [100, 40, 60, 100, 50, 100],
    'timeline.0.calls': [1, 0, 2, 0, 4, 0],
    'timeline.0.bytes': [8, 0, 0, 0, 16, 0],
    'timeline.1.first': [0, 2, 3],
    'timeline.1.bucket': [0, 0, 0],
    'timeline.1.place': [0, 1, 0],
    'timeline.1.time': [40, 310, 100],
    'timeline.1.calls': [0, 7, 0],
    'timeline.1.bytes': [0, 24, 0],
  };
  return timelineLevels(packed(columns, { span, regions: ['MPI_Send'], widths: [100, 400] }));
}

test('a range sums what is in it', () => {
  const whole = levels().shares([0], { begin: 0, end: 400 });
  assert.deepEqual(whole, [{ time: 40, calls: 0, bytes: 0 }, { time: 310, calls: 7, bytes: 24 }]);
  const [, half] = levels().shares([0], { begin: 50, end: 150 });
  assert.deepEqual(half, { time: 80, calls: 1.5, bytes: 4 });
  const [none] = levels().shares([0, 1], { begin: 100, end: 200 });
  assert.equal(none!.time, 140);
});

test('the last bucket ends with the run', () => {
  const [, whole] = levels(350).shares([0], { begin: 0, end: 350 });
  assert.deepEqual(whole, { time: 310, calls: 7, bytes: 24 });
  const [, last] = levels(350).shares([0], { begin: 325, end: 350 });
  assert.deepEqual(last, { time: 25, calls: 2, bytes: 8 });
});

test('columns of pixels share the time of buckets', () => {
  const sums = new Float32Array(8 * 2);
  levels().addTimes(0, { begin: 0, end: 400 }, 8, Uint8Array.of(0, 1), 2, sums);
  const expected = [0, 1, 0, 1, 0.4, 0.6, 0.4, 0.6, 0, 1, 0, 1, 0, 0.5, 0, 0.5];
  expected.forEach((share, index) => assert.ok(Math.abs(sums[index]! - share) < 1e-6, `${index}: ${sums[index]}`));
});

test('columns of pixels in a range begin and end with it', () => {
  const sums = new Float32Array(3 * 2);
  levels().addTimes(0, { begin: 50, end: 350 }, 3, Uint8Array.of(0, 1), 2, sums);
  const expected = [0.2, 0.8, 0.2, 0.8, 0, 0.75];
  expected.forEach((share, index) => assert.ok(Math.abs(sums[index]! - share) < 1e-6, `${index}: ${sums[index]}`));
});

test('waiting has a place for each class', () => {
  const columns = {
    'waits.first': [0, 1, 3], 'waits.bucket': [1, 0, 1], 'waits.place': [2, 1, 2], 'waits.time': [30, 100, 50], 'waits.calls': [1, 2, 1],
  };
  const waits = waitLevels(packed(columns, { waits: { width: 100, classes: ['late sender', 'barrier'], longest: [] } }), 200);
  assert.deepEqual(waits.shares([1], { begin: 0, end: 150 }).map(({ time }) => time), [0, 100, 25]);
  assert.equal(waits.name(2), 'barrier');
  assert.deepEqual(waitLevels(packed({}, { waits: { width: 0, classes: [], longest: [] } }), 9).shares([0], { begin: 0, end: 9 }).length, 1);
});
