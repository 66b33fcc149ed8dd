// Times in one run, and those in another run at which it is equally far.

/** Ascending times in the first run, and those in another run that belong to them. */
export interface Alignment {
  from: number[];
  to: number[];
}

/** Returns the time that belongs to another one, between the times `from` and those `to` that belong to them. */
export function corresponding(time: number, from: number[], to: number[]): number {
  const last = from.length - 1;
  if (last < 1) return time;
  let [least, most] = [0, last - 1];
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (from[middle]! <= time) least = middle;
    else most = middle - 1;
  }
  const share = (time - from[least]!) / (from[least + 1]! - from[least]!);
  return to[least]! + share * (to[least + 1]! - to[least]!);
}

/** Returns the address of what a run shows for another run: its times become those that belong to them. */
export function aligned(hash: string, alignments: Alignment[], run: number, other: number): string {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  for (const name of ['t', 'selected']) {
    const times = parts.get(name)?.split('..').map(Number);
    if (!times) continue;
    const moved = times.map(time => {
      const [own, theirs] = [alignments[run - 1], alignments[other - 1]];
      const first = own ? corresponding(time, own.to, own.from) : time;
      return theirs ? corresponding(first, theirs.from, theirs.to) : first;
    });
    parts.set(name, moved.map(time => Math.round(time)).join('..'));
  }
  return `#${parts}`;
}
