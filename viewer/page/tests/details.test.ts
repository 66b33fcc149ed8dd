// Details that are asked for when they are looked at.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Details } from '../src/details.ts';
import type { Range } from '../src/levels.ts';
import { ranges } from '../src/server.ts';
import { packed } from './packed.ts';

/** Details of a server that reads at most so many locations for an answer, or none if there are too many events. */
function details(most: number, width = 1): { details: Details; asked: [Range, number[], number][]; settle: () => Promise<void> } {
  const asked: [Range, number[], number][] = [];
  const ask = async (range: Range, locations: number[], buckets: number) => {
    asked.push([{ begin: range.begin, end: range.end }, locations, buckets]);
    const read = locations.slice(0, most);
    const column = read.map(() => 0);
    const columns = { first: [0, ...column], bucket: column, place: column, time: column, calls: column, bytes: column };
    return packed(columns, { ...asked.at(-1)![0], width, locations: read, has_calls: false, has_messages: false });
  };
  const settle = async () => { for (let turn = 0; turn < 20; turn++) await Promise.resolve(); };
  return { details: new Details(ask, () => {}, assert.fail), asked, settle };
}

test('more is read than what is looked at', async () => {
  const { details: of, asked, settle } = details(9);
  of.want({ begin: 100, end: 200 }, [0, 1], 10);
  await settle();
  assert.deepEqual(asked, [[{ begin: 75, end: 225 }, [0, 1], 15]]);
  assert.ok(of.level(1, { begin: 80, end: 180 }));
  assert.equal(of.level(1, { begin: 60, end: 160 }), null);
  assert.equal(of.level(2, { begin: 80, end: 180 }), null);
  // A part of it is known, and other locations are not.
  of.want({ begin: 80, end: 180 }, [1, 2], 10);
  await settle();
  assert.deepEqual(asked.slice(1), [[{ begin: 75, end: 225 }, [2], 15]]);
});

test('what is looked at more closely is read again', async () => {
  const { details: of, asked, settle } = details(9);
  of.want({ begin: 100, end: 200 }, [0], 10);
  await settle();
  of.want({ begin: 100, end: 130 }, [0], 10);
  await settle();
  assert.equal(asked.length, 1);
  of.want({ begin: 100, end: 118 }, [0], 10);
  await settle();
  assert.deepEqual(asked.at(-1), [{ begin: 95.5, end: 122.5 }, [0], 15]);
});

test('locations that were not reached are asked for again', async () => {
  const { details: of, asked, settle } = details(2);
  of.want({ begin: 100, end: 200 }, [0, 1, 2, 3, 4], 10);
  await settle();
  assert.deepEqual(asked.map(([, locations]) => locations), [[0, 1, 2, 3, 4], [2, 3, 4], [4]]);
  assert.ok(of.level(4, { begin: 100, end: 200 }));
});

test('too many events are no detail', async () => {
  const { details: of, asked, settle } = details(9, 0);
  of.want({ begin: 100, end: 200 }, [0], 10);
  await settle();
  of.want({ begin: 110, end: 210 }, [0], 10);
  await settle();
  assert.equal(asked.length, 1);
  assert.equal(of.level(0, { begin: 100, end: 200 }), null);
});

test('a server that is gone is asked once', async () => {
  let [asked, failures]: [number, unknown[]] = [0, []];
  const ask = async () => {
    asked++;
    throw new Error('gone');
  };
  const of: Details = new Details(ask, () => of.want({ begin: 100, end: 200 }, [0], 10), error => failures.push(error));
  of.want({ begin: 100, end: 200 }, [0], 10);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  of.want({ begin: 500, end: 600 }, [0], 10);
  assert.equal(asked, 1);
  assert.equal(failures.length, 1);
});

test('numbers are written as ranges', () => {
  assert.equal(ranges([0, 1, 2, 5, 7, 8]), '0-2,5,7-8');
  assert.equal(ranges([4]), '4');
});
