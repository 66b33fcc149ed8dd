// The view of messages: their matrix, and a table of the channels with most of them.

import { byId, element, table } from './dom.ts';
import { type Channel, Channels, Matrix, MEASURES, type Measure } from './matrix.ts';
import { type Note, showNote } from './note.ts';
import type { Location, Overview } from './data.ts';
import { count, duration, size } from './units.ts';

/** The greatest number of rows of the table. */
const MOST_ROWS = 50;

export class Communication {
  /** The channels of the whole program, and of each loop by its number. */
  readonly #all: Map<string, Channels>;
  readonly #parts = element('select', { 'aria-label': 'Part of the program' });
  readonly #locations: Location[];
  readonly #matrix: Matrix;
  readonly #choose: (location: number) => void;
  readonly #buttons: [Measure, HTMLButtonElement][];
  readonly #legend = element('span', {});
  #measure: Measure = 'messages';
  #chosen: number | null = null;
  #part = '';

  /** `choose` is called with a location that is chosen, and `narrow` with the number of a loop, which is empty for the program. */
  constructor(overview: Overview, locations: Location[], choose: (location: number) => void, narrow: (loop: string) => void) {
    const loops = overview.head.loops.map(({ number }, index): [string, Channels] => [
      number, new Channels(overview, `loops.${index}.`),
    ]);
    this.#all = new Map([['', new Channels(overview)], ...loops]);
    this.#locations = locations;
    this.#choose = choose;
    this.#matrix = new Matrix(byId('matrix'), this.#channels, locations, {
      choose,
      hover: (cell, event) => showNote(cell && this.#note(cell.sender, cell.receiver), event),
    });
    this.#buttons = MEASURES.map(measure => {
      const button = element('button', { type: 'button' }, measure);
      button.addEventListener('click', () => {
        this.#measure = measure;
        this.show(this.#chosen, this.#part);
      });
      return [measure, button];
    });
    this.#parts.append(...[...this.#all.keys()].map(loop => element('option', { value: loop }, loop ? `loop ${loop}` : 'the program')));
    this.#parts.addEventListener('change', () => narrow(this.#parts.value));
    byId('measures').append(this.#parts, ...this.#buttons.map(([, button]) => button), this.#legend);
  }

  get #channels(): Channels {
    return this.#all.get(this.#part) ?? this.#all.get('')!;
  }

  /** Shows the messages of a loop, or of the program, and marks those of a location. */
  show(chosen: number | null, loop: string): void {
    this.#chosen = chosen;
    this.#part = this.#all.has(loop) ? loop : '';
    this.#parts.value = this.#part;
    this.#matrix.show(this.#channels, this.#measure, chosen);
    for (const [measure, button] of this.#buttons) {
      button.setAttribute('aria-pressed', `${measure === this.#measure}`);
    }
    this.#legend.textContent = this.#measure === 'waiting' ? 'of each row for each column' : 'from each row to each column';
    const greatest = this.#channels.greatest(this.#measure, MOST_ROWS, chosen);
    const rows = greatest.map(channel => {
      const { sender, messages, bytes, waiting } = channel;
      const cells = [this.#ends(channel), count(messages), bytes > 0 ? size(bytes) : '', waiting > 0 ? duration(waiting) : ''];
      return { cells, choose: () => this.#choose(sender) };
    });
    byId('channels').replaceChildren(table(['from → to', 'messages', 'bytes', 'waiting'], rows));
  }

  #ends({ sender, receiver }: Channel): string {
    return `${this.#locations[sender]!.label} → ${this.#locations[receiver]!.label}`;
  }

  #note(sender: number, receiver: number): Note {
    const channel = this.#channels.between(sender, receiver);
    const rows = [
      ['messages', count(channel.messages)], ['bytes', size(channel.bytes)], ['waits for it', duration(channel.waiting)],
    ];
    return { title: this.#ends(channel), contents: table([], rows.map(cells => ({ cells }))) };
  }
}
