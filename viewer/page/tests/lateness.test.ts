// The latest events of locations in ranges of steps.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LatenessMap } from '../src/lateness.ts';
import { packed } from './packed.ts';

const map = new LatenessMap(packed({
  'lateness.first': [0, 3, 3, 5],
  'lateness.range': [0, 1, 3, 0, 1],
  'lateness.step': [1, 2, 7, 0, 3],
  'lateness.late': [0, 40, 5, 640, 10],
  'lateness.time': [100, 200, 700, 90, 310],
}));

test('events have the location in whose rows they are', () => {
  assert.deepEqual(map.event(2), { location: 0, step: 7, late: 5, time: 700 });
  assert.deepEqual(map.event(3), { location: 2, step: 0, late: 640, time: 90 });
});

test('a cell of a grid has the latest event', () => {
  assert.equal(map.ranges, 4);
  assert.deepEqual([...map.grid(3, 4)], [0, 1, -1, 2, -1, -1, -1, -1, 3, 4, -1, -1]);
  assert.deepEqual([...map.grid(3, 2)], [1, 2, -1, -1, 3, -1]);
  assert.deepEqual([...map.grid(1, 1)], [3]);
});

test('colours divide lateness from the least to the greatest one', () => {
  assert.deepEqual([map.least, map.greatest], [5, 640]);
  assert.deepEqual([0, 1, 2, 3, 4].map(index => map.level(index)), [0, 4, 1, 8, 2]);
});

test('a run without communication has no ranges', () => {
  const none = new LatenessMap(packed({
    'lateness.first': [0, 0], 'lateness.range': [], 'lateness.step': [], 'lateness.late': [], 'lateness.time': [],
  }));
  assert.equal(none.ranges, 0);
});
