// The model of the program as nested lines.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nested } from '../src/model.ts';

test('lines are in the line before them with fewer loops', () => {
  const lines = [['a', 0], ['for i0', 0], ['b', 1], ['for i1', 1], ['c', 2], ['d', 1], ['e', 0]] as const;
  const text = (nodes: ReturnType<typeof nested>): string =>
    nodes.map(({ line, children }) => (children.length > 0 ? `${line.text}(${text(children)})` : line.text)).join(' ');
  assert.equal(text(nested(lines.map(([line, depth]) => ({ text: line, depth })))), 'a for i0(b for i1(c) d) e');
  assert.deepEqual(nested([]), []);
});
