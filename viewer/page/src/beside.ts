// The pages of several runs, one beside the other: what one of them shows, the others show at the times that belong to it.

import { type Alignment, aligned } from './alignment.ts';
import { byId, element, table } from './dom.ts';
import { ask } from './server.ts';

/** A run, compared with the first one. */
interface Compared {
  summary: string;
  header: string[];
  rows: string[][];
}

/** What is known of the runs after the first one. */
interface Beside {
  alignments: Alignment[];
  comparisons: Compared[];
}

const titles: string[] = JSON.parse(byId('data').textContent);
const frames = titles.map((title, run) => element('iframe', { src: `${run}/`, title }));
byId('frames').append(...frames);

function showComparisons(comparisons: Compared[]): void {
  const parts = comparisons.flatMap(({ summary, header, rows }) => [
    element('p', {}, summary), ...(rows.length > 0 ? [table(header, rows.map(cells => ({ cells })))] : []),
  ]);
  byId('comparisons').replaceChildren(...parts);
}

async function open(): Promise<void> {
  const response = await ask('beside');
  const { alignments, comparisons }: Beside = await response.json();
  showComparisons(comparisons);
  window.addEventListener('message', ({ source, origin, data }) => {
    const run = frames.findIndex(({ contentWindow }) => contentWindow === source);
    if (run < 0 || origin !== location.origin) return;
    for (const [other, { contentWindow }] of frames.entries()) {
      if (other !== run) contentWindow?.postMessage(aligned(data, alignments, run, other), location.origin);
    }
  });
  document.body.dataset.ready = 'true';
}

open().catch((error: unknown) => {
  document.body.dataset.error = `${error}`;
  byId('comparisons').textContent = `${error}`;
});
