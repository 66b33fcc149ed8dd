// The model of the program: nested loops, which open and close.

import type { ModelForm, ModelLine } from './data.ts';
import { element, tabs } from './dom.ts';
import { count, percent } from './units.ts';

/** A line with the lines in it. */
export interface ModelNode {
  line: ModelLine;
  children: ModelNode[];
}

/** Returns the outermost lines, each with those in it. */
export function nested(lines: ModelLine[]): ModelNode[] {
  const outermost: ModelNode[] = [];
  const around: ModelNode[] = [];
  for (const line of lines) {
    const node = { line, children: [] };
    around.length = Math.min(around.length, line.depth);
    (around.at(-1)?.children ?? outermost).push(node);
    around.push(node);
  }
  return outermost;
}

/** Creates the forms of a model. `choose` is called with the number of an outermost loop. */
export function model(forms: ModelForm[], choose: (number: string) => void): HTMLElement[] {
  return tabs(forms.map(form => [form.title, element('div', { class: 'model' }, ...contents(form, choose))]));
}

function contents({ lines, left_out }: ModelForm, choose: (number: string) => void): HTMLElement[] {
  const nodes = nested(lines);
  const greatest = Math.max(...nodes.map(share));
  const rows = nodes.map(node => row(node, share(node) === greatest && greatest > 0, choose));
  if (left_out > 0) {
    rows.push(element('p', {}, `${count(left_out)} more lines: foldtrace loops --global shows all.`));
  }
  return rows;
}

function share({ line }: ModelNode): number {
  return line.loop?.share ?? 0;
}

function row({ line, children }: ModelNode, isOpen: boolean, choose: (number: string) => void): HTMLElement {
  const text = element('code', {}, line.text);
  if (children.length === 0) return element('div', {}, text);
  const summary = element('summary', {}, text);
  const { loop } = line;
  if (loop) {
    const button = element('button', { type: 'button' }, `loop ${loop.number}: ${percent(loop.share)} of the time`);
    button.addEventListener('click', event => {
      event.preventDefault();
      choose(loop.number);
    });
    summary.append(button);
  }
  const details = element('details', isOpen ? { open: '' } : {}, summary);
  // Most lines are never looked at.
  const fill = () => {
    if (details.childElementCount === 1) details.append(...children.map(child => row(child, isOpen, choose)));
  };
  if (isOpen) fill();
  details.addEventListener('toggle', fill);
  return details;
}
