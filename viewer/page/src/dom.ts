// Elements of the page. Texts of the trace are only ever set as texts, never as HTML.

type Content = Node | string;

/** Creates an element with attributes and contents. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...contents: Content[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.append(...contents);
  return created;
}

/** Returns the element with an id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no element #${id}`);
  return found;
}

/** Shortens a text that is too long for its place. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A row of texts, and what happens when it is chosen. */
export interface TableRow {
  cells: Content[];
  choose?: () => void;
  isChosen?: boolean;
}

/** The whole text of a cell, which may be cut off. */
function title(cell: Content): Record<string, string> {
  return typeof cell === 'string' ? { title: cell } : {};
}

/** Creates a table. Columns after the first one are numbers. */
export function table(header: string[], rows: TableRow[]): HTMLTableElement {
  const head = element('tr', {}, ...header.map(title => element('th', { scope: 'col' }, title)));
  const body = rows.map(({ cells, choose, isChosen }) => {
    const row = element('tr', isChosen ? { class: 'chosen' } : {});
    for (const [index, cell] of cells.entries()) {
      const isLink = index === 0 && choose;
      row.append(element('td', title(cell), isLink ? element('button', { type: 'button' }, cell) : cell));
    }
    if (choose) row.addEventListener('click', choose);
    return row;
  });
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
}

/** Creates a list of tabs and their panels, of which the first one is shown. */
export function tabs(panels: [title: string, contents: Node][]): HTMLElement[] {
  const buttons = panels.map(([title]) => element('button', { type: 'button', role: 'tab' }, title));
  const shown = panels.map(([title, contents]) => element('div', { role: 'tabpanel', 'aria-label': title }, contents));
  const choose = (chosen: number) => {
    for (const [index, button] of buttons.entries()) {
      button.setAttribute('aria-selected', `${index === chosen}`);
      shown[index]!.hidden = index !== chosen;
    }
  };
  for (const [index, button] of buttons.entries()) button.addEventListener('click', () => choose(index));
  choose(0);
  return [element('div', { role: 'tablist' }, ...buttons), ...shown];
}
