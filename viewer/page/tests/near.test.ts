// Single calls and messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { messages, NearCalls, stretches } from '../src/near.ts';
import { distanceTo } from '../src/timeline.ts';
import { packed } from './packed.ts';

// Location 3: main from 0 to 90 calls send from 10 to 30 and from 30 to 40, then wait, which goes on.
const calls = new NearCalls(packed({
  'calls.first': [0, 4, 5],
  'calls.begin': [0, 10, 30, 95, 20],
  'calls.end': [90, 30, 40, Infinity, 50],
  'calls.place': [1, 2, 2, 3, 1],
  'calls.depth': [0, 1, 1, 0, 0],
  'calls.position': [7, 8, 10, 13, 0],
}, { locations: [3, 5] }));

test('calls are open until they end', () => {
  const open = (location: number, time: number) => calls.at(location, time).map(({ position }) => position);
  assert.deepEqual(open(3, 10), [7, 8]);
  assert.deepEqual(open(3, 30), [7, 10]);
  assert.deepEqual(open(3, 90), []);
  assert.deepEqual(open(3, 1e9), [13]);
  assert.deepEqual(open(5, 20), [0]);
  assert.deepEqual(open(4, 20), []);
});

test('time belongs to the innermost call', () => {
  const found = stretches(calls.of(3)).map(({ begin, end, call }) => [begin, end, call.position]);
  assert.deepEqual(found, [[0, 10, 7], [10, 30, 8], [30, 40, 10], [40, 90, 7], [95, Infinity, 13]]);
});

test('there may be no messages', () => {
  assert.deepEqual(messages(packed({}, { has_messages: false })), []);
});

test('a line is near if its closest point is', () => {
  assert.equal(distanceTo([5, 3], [0, 0], [10, 0]), 3);
  assert.equal(distanceTo([13, 4], [0, 0], [10, 0]), 5);
  assert.equal(distanceTo([3, 4], [0, 0], [0, 0]), 5);
});
