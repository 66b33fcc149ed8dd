// The page of a report: an overview, views of the run, and the profile of what is chosen in them.

import { Calls } from './calls.ts';
import { type Colour, colouring } from './colours.ts';
import { Communication } from './communication.ts';
import { byId, element, shortened } from './dom.ts';
import { Levels } from './levels.ts';
import { Loops } from './loops.ts';
import { showOverview } from './overview.ts';
import { Profile } from './profile.ts';
import { type Report, unpack } from './report.ts';
import { fromHash, type State, toHash, type View, within, zoomed } from './state.ts';
import { Timeline } from './timeline.ts';

/** Whether this is a page within a page, as in notebooks, which has no address of its own. */
const IS_WITHIN = location.protocol === 'about:';

class Page {
  readonly #span: number;
  readonly #locations: number;
  readonly #profile: Profile;
  /** What shows the state in each view. */
  readonly #views: Record<View, (state: State) => void>;
  #state: State;

  constructor(report: Report) {
    const { span, locations, regions } = report.head;
    this.#span = span;
    this.#locations = locations.length;
    this.#state = this.#fromAddress();
    const levels = new Levels(report);
    const colours = colouring(regions, levels.shares(locations.keys(), { begin: 0, end: span }));
    const emphasise = (region: string) => this.#emphasise(region);
    this.#profile = new Profile(levels, locations, this.#state, emphasise);
    const change = (part: Partial<State>, isLasting: boolean) => this.#change(part, isLasting);
    const timeline = new Timeline(byId('timeline'), levels, locations, span, colours, this.#state, change);
    const loops = new Loops(report, range => this.#change({ selected: range }, true));
    const communication = new Communication(report, location => this.#choose(location));
    const calls = new Calls(report, colours, emphasise);
    this.#views = {
      timeline: state => timeline.show(state),
      loops: ({ selected }) => loops.show(selected),
      communication: ({ location }) => communication.show(location),
      calls: state => calls.show(state),
    };
    byId('colours').append(...colours.colours.slice(1).map(colour => this.#legend(colour)));
    showOverview(report.head);
    this.#listen();
    this.#show();
  }

  #fromAddress(hash = location.hash): State {
    return fromHash(hash, this.#span, this.#locations);
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
    const { view } = this.#state;
    for (const panel of document.querySelectorAll<HTMLElement>('.view')) panel.hidden = panel.dataset.view !== view;
    for (const tab of document.querySelectorAll<HTMLElement>('#views [role=tab]')) {
      tab.setAttribute('aria-selected', `${tab.dataset.view === view}`);
    }
    this.#views[view](this.#state);
    this.#profile.show(this.#state);
  }

  /** Emphasises a region, or no region if it is emphasised already. */
  #emphasise(region: string): void {
    this.#change({ region: region === this.#state.region ? '' : region }, true);
  }

  /** Chooses a location, or all locations if it is chosen already. */
  #choose(location: number): void {
    this.#change({ location: location === this.#state.location ? null : location }, true);
  }

  #legend({ title, property }: Colour): HTMLElement {
    const sign = element('span', { class: 'sign', style: `background: var(${property})` });
    const button = element('button', { type: 'button', title }, sign, shortened(title, 32));
    button.addEventListener('click', () => this.#emphasise(title));
    return button;
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
    const actions = this.#actions();
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

  /** Returns what keys do, and the buttons that have them. */
  #actions(): Record<string, () => void> {
    return {
      '+': () => this.#zoom(0.5),
      '=': () => this.#zoom(0.5),
      '-': () => this.#zoom(2),
      ArrowLeft: () => this.#pan(-0.25),
      ArrowRight: () => this.#pan(0.25),
      z: () => this.#state.selected && this.#change({ shown: this.#state.selected, selected: null }, true),
      Home: () => this.#change({ shown: { begin: 0, end: this.#span } }, true),
      Escape: () => this.#change({ selected: null, location: null, region: '' }, true),
      '/': () => byId('search').focus(),
      p: () => savePicture(),
    };
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
}

/** Saves the picture of the view that is shown. */
function savePicture(): void {
  document.querySelector<HTMLCanvasElement>('.view:not([hidden]) canvas')?.toBlob(blob => {
    if (!blob) return;
    const address = URL.createObjectURL(blob);
    element('a', { href: address, download: `${document.title}.png` }).click();
    URL.revokeObjectURL(address);
  });
}

async function open(): Promise<void> {
  const text: string = JSON.parse(byId('data').textContent);
  new Page(await unpack(text));
  document.body.dataset.ready = 'true';
}

// All pages of foldtrace keep their first error for tests.
open().catch((error: unknown) => { document.body.dataset.error = `${error}`; });
