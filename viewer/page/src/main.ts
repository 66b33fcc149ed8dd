// The page of a report: an overview, and a timeline with the profile of what is chosen in it.

import { Calls } from './calls.ts';
import { colouring } from './colours.ts';
import { Communication } from './communication.ts';
import { byId, element, shortened, table, type TableRow, tabs } from './dom.ts';
import { Levels, type Range, type Share } from './levels.ts';
import { Loops } from './loops.ts';
import { type Report, unpack } from './report.ts';
import { fromHash, type State, toHash, type View, within, zoomed } from './state.ts';
import { Timeline } from './timeline.ts';
import { count, duration, percent, size, time } from './units.ts';

/** The greatest number of rows of the profile. */
const MOST_ROWS = 100;

/** The greatest number of characters of a finding, in which names may have any length. */
const MOST_WORDS = 300;

/** Whether this is a page within a page, as in notebooks, which has no address of its own. */
const IS_WITHIN = location.protocol === 'about:';

class Page {
  readonly #report: Report;
  readonly #levels: Levels;
  readonly #timeline: Timeline;
  readonly #communication: Communication;
  readonly #calls: Calls;
  readonly #loops: Loops;
  readonly #span: number;
  #state: State;

  constructor(report: Report) {
    this.#report = report;
    const { span, locations, regions } = report.head;
    this.#span = span;
    this.#levels = new Levels(report);
    this.#state = this.#fromAddress();
    const all = this.#levels.shares(locations.keys(), { begin: 0, end: span });
    const colours = colouring(regions, all);
    this.#timeline = new Timeline(
      byId('timeline'), this.#levels, locations, span, colours, this.#state,
      {
        change: (part, isLasting) => this.#change(part, isLasting),
        hover: (at, event) => this.#hover(at, event),
      },
    );
    byId('colours').append(
      ...colours.colours.slice(1).map(({ title, property }) => {
        const sign = element('span', { class: 'sign', style: `background: var(${property})` });
        const button = element('button', { type: 'button', title }, sign, shortened(title, 32));
        button.addEventListener('click', () => this.#emphasise(title));
        return button;
      }),
    );
    this.#communication = new Communication(report, {
      choose: location => this.#change({ location: location === this.#state.location ? null : location }, true),
      hover: (note, event) => this.#showNote(note, event),
    });
    this.#calls = new Calls(report, colours, {
      emphasise: region => this.#emphasise(region),
      hover: (note, event) => this.#showNote(note, event),
    });
    this.#loops = new Loops(report, {
      select: range => this.#change({ selected: range }, true),
      hover: (note, event) => this.#showNote(note, event),
    });
    this.#showOverview();
    this.#listen();
    this.#show();
  }

  #fromAddress(hash = location.hash): State {
    return fromHash(hash, this.#span, this.#report.head.locations.length);
  }

  #change(part: Partial<State>, isLasting: boolean): void {
    this.#state = { ...this.#state, ...part };
    const address = `#${toHash(this.#state)}`;
    if (!IS_WITHIN) {
      if (isLasting) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    }
    this.#show();
  }

  #show(): void {
    const { view, location } = this.#state;
    for (const panel of document.querySelectorAll<HTMLElement>('.view')) panel.hidden = panel.dataset.view !== view;
    for (const tab of document.querySelectorAll<HTMLElement>('#views [role=tab]')) {
      tab.setAttribute('aria-selected', `${tab.dataset.view === view}`);
    }
    if (view === 'timeline') this.#timeline.show(this.#state);
    else if (view === 'loops') this.#loops.show(this.#state.selected);
    else if (view === 'communication') this.#communication.show(location);
    else this.#calls.show(this.#state);
    this.#showProfile();
  }

  #emphasise(region: string): void {
    this.#change({ region: region === this.#state.region ? '' : region }, true);
  }

  #showOverview(): void {
    const { findings, tables } = this.#report.head;
    byId('findings').append(
      ...findings.map(({ text, link }) => {
        const words = shortened(text, MOST_WORDS);
        return element('li', {}, link ? element('a', { href: `#${link}` }, words) : words);
      }),
    );
    byId('facts').append(
      ...tabs(tables.map(({ title, header, rows }) => {
        const linked = rows.map(({ cells: [first = '', ...others], link }): TableRow => {
          return { cells: [link ? element('a', { href: `#${link}` }, first) : first, ...others] };
        });
        return [title, table(header, linked)];
      })),
    );
  }

  #showProfile(): void {
    const { shown, selected, location: chosen, region } = this.#state;
    const range = selected ?? shown;
    const { locations, regions } = this.#report.head;
    const of = chosen === null ? locations.keys() : [chosen];
    const shares = this.#levels.shares(of, range);
    const total = shares.reduce((sum, share) => sum + share.time, 0) || 1;
    const step = (range.end - range.begin) / 1000;
    const place = locations[chosen ?? -1];
    byId('range').textContent =
      `${selected ? 'Selected' : 'Shown'}: ${time(range.begin, step)} to ${time(range.end, step)}, ` +
      `${duration(range.end - range.begin)}, in ${place ? `location ${place.label}` : `all ${locations.length} locations`}`;
    const search = (byId('search') as HTMLInputElement).value.toLowerCase();
    const entries = shares.map((share, index) => ({ share, name: regions[index - 1] ?? 'no call' }));
    const found = entries.filter(({ share, name }) => {
      return (share.time > 0 || share.calls > 0) && name.toLowerCase().includes(search);
    });
    found.sort((a, b) => b.share.time - a.share.time);
    const rows = found.slice(0, MOST_ROWS).map(({ share, name }) => this.#row(share, name, total, name === region));
    byId('profile').replaceChildren(table(['region', 'time', 'share', 'calls', 'bytes'], rows));
    byId('more').textContent = found.length > MOST_ROWS ? `and ${count(found.length - MOST_ROWS)} more` : '';
  }

  #row({ time: nanoseconds, calls, bytes }: Share, name: string, total: number, isChosen: boolean): TableRow {
    const cells = [
      shortened(name, 60), duration(nanoseconds), percent(nanoseconds / total), count(calls), bytes > 0 ? size(bytes) : '',
    ];
    return { cells, choose: () => this.#emphasise(name), isChosen };
  }

  #hover(at: { location: number; range: Range } | null, event: MouseEvent): void {
    if (!at) {
      this.#showNote(null, event);
      return;
    }
    const { locations, regions } = this.#report.head;
    const shares = this.#levels.shares([at.location], at.range);
    const length = at.range.end - at.range.begin;
    const entries = shares.map((share, index) => ({ share, name: regions[index - 1] ?? 'no call' }));
    const greatest = entries.filter(({ share }) => share.time > length / 200);
    greatest.sort((a, b) => b.share.time - a.share.time);
    const place = locations[at.location]!;
    const rows = greatest.slice(0, 6).map(({ share, name }) => {
      return { cells: [shortened(name, 40), percent(share.time / length)] };
    });
    const title = `${place.label} ${place.name} at ${time(at.range.begin, length)}`;
    this.#showNote({ title, contents: table(['region', 'share'], rows) }, event);
  }

  /** Shows a note beside the pointer; none if it is null. */
  #showNote(shown: { title: string; contents: Node } | null, event: MouseEvent): void {
    const note = byId('note');
    note.hidden = shown === null;
    if (!shown) return;
    note.replaceChildren(element('strong', {}, shown.title), shown.contents);
    const { width, height } = note.getBoundingClientRect();
    note.style.left = `${Math.max(2, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
    note.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
  }

  #listen(): void {
    // Links, the browser's history, and addresses that are typed.
    window.addEventListener('popstate', () => {
      this.#state = this.#fromAddress();
      this.#show();
    });
    if (IS_WITHIN) {
      document.addEventListener('click', event => {
        const hash = (event.target as Element).closest('a')?.hash;
        if (!hash) return;
        event.preventDefault();
        this.#change(this.#fromAddress(hash), true);
      });
    }
    byId('search').addEventListener('input', () => this.#showProfile());
    const actions: Record<string, () => void> = {
      '+': () => this.#zoom(0.5),
      '-': () => this.#zoom(2),
      ArrowLeft: () => this.#pan(-0.25),
      ArrowRight: () => this.#pan(0.25),
      z: () => this.#state.selected && this.#change({ shown: this.#state.selected, selected: null }, true),
      Home: () => this.#change({ shown: { begin: 0, end: this.#span } }, true),
      Escape: () => this.#change({ selected: null, location: null, region: '' }, true),
      '/': () => byId('search').focus(),
      p: () => this.#savePicture(),
    };
    window.addEventListener('keydown', event => {
      const isTyping = event.target instanceof HTMLInputElement;
      if (isTyping && event.key === 'Escape') (event.target as HTMLInputElement).blur();
      if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
      const action = actions[event.key];
      if (!action) return;
      action();
      event.preventDefault();
    });
    for (const tab of document.querySelectorAll<HTMLElement>('#views [role=tab]')) {
      tab.addEventListener('click', () => this.#change({ view: tab.dataset.view as View }, true));
    }
    for (const button of document.querySelectorAll<HTMLElement>('header button')) {
      button.addEventListener('click', () => actions[button.dataset.key ?? '']?.());
    }
  }

  #zoom(factor: number): void {
    const { shown } = this.#state;
    this.#change({ shown: zoomed(shown, factor, (shown.begin + shown.end) / 2, this.#span) }, false);
  }

  #pan(share: number): void {
    const { begin, end } = this.#state.shown;
    const moved = share * (end - begin);
    this.#change({ shown: within({ begin: begin + moved, end: end + moved }, this.#span) }, false);
  }

  #savePicture(): void {
    this.#timeline.canvas.toBlob(blob => {
      if (!blob) return;
      const address = URL.createObjectURL(blob);
      element('a', { href: address, download: `${document.title}.png` }).click();
      URL.revokeObjectURL(address);
    });
  }
}

async function open(): Promise<void> {
  const text: string = JSON.parse(byId('data').textContent);
  new Page(await unpack(text));
  document.body.dataset.ready = 'true';
}

// All pages of foldtrace keep their first error for tests.
open().catch((error: unknown) => { document.body.dataset.error = `${error}`; });
