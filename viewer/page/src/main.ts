// The page: an overview, views of the run, and the profile of what is chosen in them.

import { Calls } from './calls.ts';
import { type Colour, type Colouring, colouring } from './colours.ts';
import { Communication } from './communication.ts';
import { type Basis, type BasisHead, type DetailHead, type Overview, type OverviewHead, unpack } from './data.ts';
import { type Detailed, Details, KnownDetails } from './details.ts';
import { byId, element, shortened } from './dom.ts';
import { EventList } from './events.ts';
import { Lateness } from './lateness.ts';
import { timelineLevels } from './levels.ts';
import { Loops } from './loops.ts';
import { showAwaited, showOverview } from './overview.ts';
import { MetricsView } from './metrics.ts';
import { Patterns } from './patterns.ts';
import { savePixels, saveShapes } from './picture.ts';
import { Profile } from './profile.ts';
import * as server from './server.ts';
import { fromHash, type State, toHash, type View, within, zoomed } from './state.ts';
import { Timeline } from './timeline.ts';
import { Waiting } from './waiting.ts';

/** Whether this is a page within a page, as in notebooks, which has no address of its own. */
const IS_WITHIN = location.protocol === 'about:';

class Page {
  readonly #span: number;
  readonly #locations: number;
  readonly #basis: Basis;
  /** Whether this is one of several pages beside each other, which tell each other what they show. */
  readonly #isBeside: boolean;
  readonly #profile: Profile;
  readonly #events: EventList | null;
  readonly #colours: Colouring;
  /** What shows the state in each view; some views come with the overview. */
  readonly #views: Partial<Record<View, (state: State) => void>>;
  #state: State;

  /** `known` are details that are part of the page; pages that are served ask for them. */
  constructor(basis: Basis, isServed: boolean, known: Detailed | null) {
    const { span, locations, regions } = basis.head;
    this.#basis = basis;
    this.#isBeside = isServed && window.parent !== window;
    document.body.classList.toggle('beside', this.#isBeside);
    this.#span = span;
    this.#locations = locations.length;
    this.#state = this.#fromAddress();
    const levels = timelineLevels(basis);
    this.#colours = colouring(regions, levels.shares(locations.keys(), { begin: 0, end: span }));
    this.#profile = new Profile(levels, locations, this.#state, region => this.#emphasise(region));
    const failed = (error: unknown) => { byId('summary').textContent = `The server gives no more details: ${error}`; };
    const details = isServed ? new Details(server.detail, () => this.#show(), failed) : known;
    levels.finer = details;
    this.#events = isServed ? new EventList(server.events) : null;
    const change = (part: Partial<State>, isLasting: boolean) => this.#change(part, isLasting);
    const timeline = new Timeline(byId('timeline'), { levels, details, locations, span, colouring: this.#colours }, this.#state, change);
    this.#views = { timeline: state => timeline.show(state) };
    byId('colours').append(...this.#colours.colours.slice(1).map(colour => this.#legend(colour)));
    this.#listen();
    this.#show();
  }

  /** Shows the overview, and the views that come with it. */
  add(overview: Overview): void {
    const { regions, locations, span } = this.#basis.head;
    const change = (part: Partial<State>, isLasting: boolean) => this.#change(part, isLasting);
    const waiting = new Waiting(overview, locations, span, this.#state, change);
    const lateness = new Lateness(overview, locations, span, change);
    const loops = new Loops(overview, range => this.#change({ selected: range }, true));
    const narrow = (loop: string) => this.#change({ loop }, true);
    const communication = new Communication(overview, locations, location => this.#choose(location), narrow);
    const calls = new Calls(overview, regions, this.#colours, region => this.#emphasise(region));
    this.#views.waiting = state => waiting.show(state);
    this.#views.lateness = state => lateness.show(state);
    this.#views.loops = ({ selected }) => loops.show(selected);
    this.#views.communication = ({ location, loop }) => communication.show(location, loop);
    this.#views.calls = state => calls.show(state);
    new Patterns(overview);
    const metrics = new MetricsView(overview, locations, this.#state, change);
    this.#views.metrics = state => metrics.show(state);
    showOverview(overview.head);
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
    this.#tell();
    this.#show();
  }

  /** Tells the pages beside this one what it shows. */
  #tell(): void {
    if (this.#isBeside) window.parent.postMessage(`#${toHash(this.#state)}`, location.origin);
  }

  /** Shows what a page beside this one shows. */
  #follow({ source, origin, data }: MessageEvent): void {
    if (source !== window.parent || origin !== location.origin) return;
    history.replaceState(null, '', data);
    this.#state = this.#fromAddress(data);
    this.#show();
  }

  #show(): void {
    const { view } = this.#state;
    for (const panel of document.querySelectorAll<HTMLElement>('.view')) panel.hidden = panel.dataset.view !== view;
    for (const tab of document.querySelectorAll<HTMLElement>('#views > [role=tablist] [role=tab]')) {
      tab.setAttribute('aria-selected', `${tab.dataset.view === view}`);
    }
    this.#views[view]?.(this.#state);
    this.#profile.show(this.#state);
    this.#events?.show(this.#state);
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
      this.#tell();
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
    if (this.#isBeside) window.addEventListener('message', event => this.#follow(event));
    const actions = this.#actions();
    window.addEventListener('keydown', event => {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (isTyping && event.key === 'Escape') (event.target as HTMLElement).blur();
      if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
      const action = actions[event.key];
      if (!action) return;
      action();
      event.preventDefault();
    });
    for (const tab of document.querySelectorAll<HTMLElement>('#views > [role=tablist] [role=tab]')) {
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
      p: savePixels,
      s: saveShapes,
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

/** The data of a page in one file. */
interface Packed {
  data: string;
  /** Calls and messages of parts of the run. */
  excerpts: string[];
}

/** Opens the page. Its data is part of the page, or comes from the server. */
async function open(): Promise<void> {
  const packed: Packed | null = JSON.parse(byId('data').textContent);
  if (packed) {
    const data = await unpack<BasisHead & OverviewHead>(packed.data);
    const excerpts = await Promise.all(packed.excerpts.map(excerpt => unpack<DetailHead>(excerpt)));
    new Page(data, false, new KnownDetails(excerpts)).add(data);
  } else {
    showAwaited('The timeline is being prepared …');
    const page = new Page(await server.data<BasisHead>('basis'), true, null);
    showAwaited('The run is being analysed …');
    document.body.dataset.usable = 'true';
    page.add(await server.data<OverviewHead>('overview'));
  }
  document.body.dataset.ready = 'true';
}

// All pages of foldtrace keep their first error for tests.
open().catch((error: unknown) => {
  document.body.dataset.error = `${error}`;
  showAwaited(`${error}`);
});
