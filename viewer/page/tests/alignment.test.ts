// Times of runs that are aligned.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { aligned, corresponding } from '../src/alignment.ts';

const second = { from: [0, 10, 20, 100], to: [0, 30, 40, 400] };
const third = { from: [0, 100], to: [0, 50] };

test('times between two known ones are in proportion', () => {
  const times = [0, 5, 10, 15, 60, 100].map(time => corresponding(time, second.from, second.to));
  assert.deepEqual(times, [0, 15, 30, 35, 220, 400]);
});

test('an address has the times of the other run', () => {
  assert.equal(aligned('#t=10..60&region=a', [second, third], 0, 1), '#t=30..220&region=a');
  assert.equal(aligned('#t=30..220&selected=35..40', [second, third], 1, 0), '#t=10..60&selected=15..20');
  assert.equal(aligned('#view=calls&t=30..220', [second, third], 1, 2), '#view=calls&t=5..30');
});
