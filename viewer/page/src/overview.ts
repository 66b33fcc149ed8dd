// The overview of a run: findings and tables, each with links to what shows them.

import { byId, element, shortened, table, type TableRow, tabs } from './dom.ts';
import type { FactRow, Head } from './report.ts';

/** The greatest number of characters of a finding, in which names may have any length. */
const MOST = 300;

/** Shows the overview. */
export function showOverview({ findings, tables }: Head): void {
  const items = findings.map(({ text, link }) => element('li', {}, linked(shortened(text, MOST), link)));
  byId('findings').append(...items);
  const panels = tables.map(({ title, header, rows }): [string, Node] => [title, table(header, rows.map(factRow))]);
  byId('facts').append(...tabs(panels));
}

function factRow({ cells: [first = '', ...others], link }: FactRow): TableRow {
  return { cells: [linked(first, link), ...others] };
}

function linked(text: string, link: string): Node | string {
  return link ? element('a', { href: `#${link}` }, text) : text;
}
