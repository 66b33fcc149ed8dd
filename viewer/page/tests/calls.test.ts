// The tree of call paths.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CallTree } from '../src/calls.ts';
import { packed } from './packed.ts';

// main calls solve, which calls send, and send; another thread calls send.
const tree = new CallTree(packed({
  'calls.parent': [0, 1, 2, 1, 0],
  'calls.region': [0, 1, 2, 2, 2],
  'calls.number': [1, 10, 20, 1, 3],
  'calls.inclusive': [80, 60, 30, 5, 20],
}, { total: 100 }), ['main', 'solve', 'send']);

test('paths begin with the outermost call', () => {
  assert.deepEqual([0, 2, 4].map(node => tree.path(node)), ['main', 'main / solve / send', 'send']);
});

test('the greatest paths come first', () => {
  assert.deepEqual(tree.greatest(3, ''), [0, 1, 2]);
  assert.deepEqual(tree.greatest(9, 'send'), [2, 4, 3]);
});

test('children are beside each other, below their caller', () => {
  const boxes: [number, number, number, number][] = [];
  tree.layOut(-1, 0.06, (...box) => boxes.push(box));
  boxes.sort(([a], [b]) => a - b);
  assert.deepEqual(boxes, [[-1, 0, 1, 0], [0, 0, 0.8, 1], [1, 0, 0.6, 2], [2, 0, 0.3, 3], [4, 0.8, 0.2, 1]]);
  const below: number[] = [];
  tree.layOut(1, 0, node => below.push(node));
  assert.deepEqual(below, [1, 2]);
});
