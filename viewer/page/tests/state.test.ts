// States of the page, their addresses, and how they move.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fromHash, type State, toHash, within, zoomed } from '../src/state.ts';

test('an address is the inverse of its state', () => {
  const states: State[] = [
    { view: 'timeline', shown: { begin: 0, end: 1000 }, selected: null, location: null, region: '', loop: '' },
    { view: 'calls', shown: { begin: 20, end: 520 }, selected: { begin: 30, end: 40 }, location: 3, region: 'a&b=#c "ü', loop: '3' },
  ];
  for (const state of states) assert.deepEqual(fromHash(`#${toHash(state)}`, 1000, 4), state);
});

test('a wrong address shows the whole run', () => {
  const whole = { view: 'timeline', shown: { begin: 0, end: 1000 }, selected: null, location: null, region: '', loop: '' };
  for (const hash of ['', '#', '#t=5..2', '#t=x..y', '#t=7', '#location=4', '#location=-1', '#selected=..', '#view=x']) {
    assert.deepEqual(fromHash(hash, 1000, 4), whole, hash);
  }
});

test('ranges stay within the run', () => {
  assert.deepEqual(within({ begin: -50, end: 50 }, 1000), { begin: 0, end: 100 });
  assert.deepEqual(within({ begin: 950, end: 1050 }, 1000), { begin: 900, end: 1000 });
  assert.deepEqual(within({ begin: -10, end: 5000 }, 1000), { begin: 0, end: 1000 });
});

test('zooming keeps the time under the pointer', () => {
  const range = zoomed({ begin: 100, end: 500 }, 0.5, 200, 1000);
  assert.deepEqual(range, { begin: 150, end: 350 });
  assert.deepEqual(zoomed(range, 100, 200, 1000), { begin: 0, end: 1000 });
});
