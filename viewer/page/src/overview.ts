// The overview of a run: findings and tables, each with links to what shows them.

import { byId, element, shortened, table, type TableRow, tabs } from './dom.ts';
import type { FactRow, OverviewHead } from './data.ts';

/** The greatest number of characters of a finding, in which names may have any length. */
const MOST = 300;

/** Shows the overview. */
export function showOverview({ summary, findings, tables }: OverviewHead): void {
  byId('summary').textContent = summary;
  const items = findings.map(({ text, link }) => element('li', {}, linked(shortened(text, MOST), link)));
  byId('findings').replaceChildren(...items);
  const panels = tables.map(({ title, header, rows }): [string, Node] => [title, table(header, rows.map(linkedRow))]);
  byId('facts').replaceChildren(...tabs(panels));
}

/** Shows why there is no overview yet. */
export function showAwaited(text: string): void {
  byId('findings').replaceChildren(element('li', { class: 'awaited' }, text));
}

/** Returns a row whose first cell is a link. */
export function linkedRow({ cells: [first = '', ...others], link }: FactRow): TableRow {
  return { cells: [linked(first, link), ...others] };
}

function linked(text: string, link: string): Node | string {
  return link ? element('a', { href: `#${link}` }, text) : text;
}
