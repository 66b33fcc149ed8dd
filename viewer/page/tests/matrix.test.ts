// Sums of messages between locations, and the colours of amounts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { level } from '../src/colours.ts';
import { Channels } from '../src/matrix.ts';
import { packed } from './packed.ts';

const channels = new Channels(packed({
  'channels.sender': [0, 1, 3, 3],
  'channels.receiver': [1, 0, 2, 0],
  'channels.messages': [5, 4, 3, 2],
  'channels.bytes': [10, 0, 300, 7],
  'channels.waiting': [0, 0, 80, 0],
}));

test('channels are found by their ends', () => {
  assert.deepEqual(channels.between(3, 2), { sender: 3, receiver: 2, messages: 3, bytes: 300, waiting: 80 });
  assert.deepEqual(channels.between(2, 3), { sender: 2, receiver: 3, messages: 0, bytes: 0, waiting: 0 });
});

test('the greatest channels come first', () => {
  const ends = (found: { sender: number; receiver: number }[]) => found.map(({ sender, receiver }) => [sender, receiver]);
  assert.deepEqual(ends(channels.greatest('messages', 2, null)), [[0, 1], [1, 0]]);
  assert.deepEqual(ends(channels.greatest('bytes', 9, 0)), [[0, 1], [3, 0]]);
});

test('a grid sums neighbouring locations', () => {
  assert.deepEqual([...channels.grid('messages', 4, 2)], [9, 0, 2, 3]);
  const whole = channels.grid('bytes', 4, 4);
  assert.equal(whole[3 * 4 + 2], 300);
  assert.equal(whole.reduce((sum, bytes) => sum + bytes), 317);
});

test('colours divide amounts by their logarithms', () => {
  assert.equal(level(0, 1, 256), 0);
  assert.equal(level(1, 1, 256), 1);
  assert.equal(level(2, 1, 256), 2);
  assert.equal(level(256, 1, 256), 8);
  assert.equal(level(7, 7, 7), 8);
});
