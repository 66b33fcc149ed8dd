// The note beside the pointer, which describes what it is over.

import { byId, element } from './dom.ts';

export interface Note {
  title: string;
  contents: Node;
}

/** A place in the window. */
export type Place = Pick<MouseEvent, 'clientX' | 'clientY'>;

/** Shows a note beside the pointer; none if it is null. */
export function showNote(note: Note | null, event: Place): void {
  const frame = byId('note');
  frame.hidden = note === null;
  if (!note) return;
  frame.replaceChildren(element('strong', {}, note.title), note.contents);
  const { width, height } = frame.getBoundingClientRect();
  const [right, below] = [event.clientX + 14, event.clientY + 18];
  frame.style.left = `${Math.max(2, Math.min(right, innerWidth - width - 4))}px`;
  frame.style.top = `${below + height > innerHeight ? event.clientY - height - 10 : below}px`;
}
