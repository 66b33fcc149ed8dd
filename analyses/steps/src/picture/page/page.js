const SVG = 'http://www.w3.org/2000/svg';
const pictures = document.getElementById('pictures');
const { rows, names, kinds, classes, ticks, steps, brackets, measures, cells: table, messages } =
  JSON.parse(document.getElementById('data').textContent);

// The data of each cell, in the order of the shapes.
const cells = table.map((row, index) => {
  const [place, name, kind, partition, step, position, start, duration, lateness, added, cls, levels] = row;
  return {
    index, row: place, name: names[name], kind, partition, step, position, start, duration, lateness, added, cls,
    levels: [levels / 100 | 0, levels / 10 % 10 | 0, levels % 10], sent: [], received: [],
  };
});
messages.forEach(([from, to], index) => {
  cells[from].sent.push(index);
  cells[to].received.push(index);
});

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function time(amount) {
  const seconds = amount / ticks.second;
  const size = Math.abs(+seconds.toPrecision(3));
  const [unit, name] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']].find(([least]) => size >= least * 0.999)
    ?? [1e-9, 'ns'];
  return size === 0 ? '0 s' : `${+(seconds / unit).toPrecision(3)} ${name}`;
}

// A picture: shapes, which are stretched in both directions, and names and an axis, which are not.
class Pane {
  constructor(id) {
    this.figure = document.getElementById(id);
    this.plot = this.figure.querySelector('.plot');
    this.axis = this.figure.querySelector('.axis');
    this.side = this.figure.querySelector('.names');
    this.over = this.plot.querySelector('.over');
    this.rects = [...this.plot.querySelector('.cells').children];
    this.numbers = new Map(this.rects.map((rect, index) => [rect, index]));
    this.width = this.plot.viewBox.baseVal.width;
    this.height = this.plot.viewBox.baseVal.height;
    this.isTime = id === 'time';
    this.boxes = this.rects.map(rect => {
      const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(name => +rect.getAttribute(name));
      return { x, y, width, height };
    });
    this.from = 0;
    this.scale = 1;
  }

  // Returns the line from the send to the receive of a message.
  line(index) {
    const [from, to] = messages[index].map(cell => this.boxes[cell]);
    return this.isTime
      ? [from.x, from.y + from.height / 2, to.x + to.width, to.y + to.height / 2]
      : [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
  }

  get room() { return this.plot.clientWidth || 1; }

  fit() {
    const all = this.room / this.width;
    this.scale = this.isTime ? all : Math.min(Math.max(all, 1), 1.6);
    this.from = 0;
    this.show();
  }

  show() {
    const least = Math.min(this.room / this.width, 1);
    this.scale = Math.min(Math.max(this.scale, least), this.isTime ? 1e6 : 6);
    const span = this.room / this.scale;
    this.from = Math.max(0, Math.min(this.from, this.width - span));
    this.plot.setAttribute('viewBox', [this.from, 0, span, this.height].join(' '));
    this.labels();
  }

  zoom(factor, at = this.room / 2) {
    const x = this.from + at / this.scale;
    this.scale *= factor;
    this.from = x - at / this.scale;
    this.show();
  }

  pan(pixels) {
    this.from += pixels / this.scale;
    this.show();
  }

  // Scrolls horizontally until a cell is in sight.
  reveal(index) {
    const { x, width } = this.boxes[index];
    const span = this.room / this.scale;
    if (x < this.from || x + width > this.from + span) this.from = x + width / 2 - span / 2;
    this.show();
  }

  labels() {
    const row = this.plot.clientHeight / rows.length;
    const every = Math.max(1, Math.ceil(11 / row));
    const right = this.side.clientWidth - 6;
    this.side.replaceChildren(...rows.flatMap((label, index) => index % every ? [] :
      [element('text', { class: 'n', x: right, y: row * (index + 0.5) + 3.5 }, label)]));
    this.axis.replaceChildren(...(this.isTime ? this.times() : this.numbers_of_steps()));
  }

  numbers_of_steps() {
    const shown = [];
    const at = x => (x - this.from) * this.scale;
    const room = String(steps.last).length * 8 + 12;
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find(n => n * steps.pitch * this.scale >= room) ?? 1000;
    for (let step = Math.ceil(steps.first / every) * every; step <= steps.last; step += every) {
      const x = at((step - steps.first) * steps.pitch + steps.middle);
      if (x > 8 && x < this.room - 8) shown.push(element('text', { class: 'i', x, y: this.axis.clientHeight - 4 }, whole.format(step)));
    }
    for (const [partition, first, last, line] of brackets) {
      const from = Math.max(at((first - steps.first) * steps.pitch) + 2, -9);
      const to = Math.min(at((last + 1 - steps.first) * steps.pitch) - 2, this.room + 9);
      if (to <= 0 || from >= this.room || to - from < 2) continue;
      const y = this.axis.clientHeight - 16 - 13 * line;
      shown.push(element('path', { class: 'p', d: `M${from} ${y}v-4H${to}v4` }));
      const middle = (Math.max(from, 0) + Math.min(to, this.room)) / 2;
      const text = [`partition ${whole.format(partition)}`, whole.format(partition)].find(text => text.length * 6.2 < to - from);
      if (text) shown.push(element('text', { class: 'i', x: middle, y: y - 6 }, text));
    }
    return shown;
  }

  times() {
    const each = ticks.span / this.width;
    const span = this.room / this.scale * each;
    const least = span / Math.max(this.room / 110, 1);
    const decade = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(digit => digit * decade).find(step => step >= least * 0.999);
    const shown = [];
    for (let mark = Math.ceil(this.from * each / step) * step; mark <= this.from * each + span; mark += step) {
      const x = (mark / each - this.from) * this.scale;
      shown.push(element('path', { class: 'x', d: `M${x} 0v4` }));
      // As many digits as are necessary to distinguish marks.
      const digits = Math.max(0, Math.ceil(-Math.log10(step / ticks.second) - 1e-6));
      const milli = digits > 3 ? [1e6, 'µs', digits - 6] : digits > 0 ? [1e3, 'ms', digits - 3] : [1, 's', digits];
      const value = mark / ticks.second * milli[0];
      if (x > 12 && x < this.room - 24) shown.push(element('text', { class: 'i', x, y: 15 }, `+${value.toFixed(Math.max(0, milli[2]))} ${milli[1]}`));
    }
    return shown;
  }

  // Returns the nearest message, if it is within a few pixels.
  nearest(event) {
    const box = this.plot.getBoundingClientRect();
    const tall = box.height / this.height;
    const [px, py] = [event.clientX - box.x, event.clientY - box.y];
    let [found, distance] = [null, 5];
    for (let index = 0; index < messages.length; index++) {
      let [x, y, toX, toY] = this.line(index);
      x = (x - this.from) * this.scale; toX = (toX - this.from) * this.scale;
      y *= tall; toY *= tall;
      const [width, height] = [toX - x, toY - y];
      const part = Math.min(Math.max(((px - x) * width + (py - y) * height) / (width * width + height * height || 1), 0), 1);
      const far = Math.hypot(x + part * width - px, y + part * height - py);
      if (far < distance) [found, distance] = [index, far];
    }
    return found;
  }
}

const panes = ['steps', 'time'].map(id => new Pane(id));
const [logical, physical] = panes;

// Fits both pictures into the window, if rows can be that short.
let row = 0;
function arrange(height = 0) {
  const others = 2 * 64;
  row = Math.min(Math.max(height || (pictures.clientHeight - others) / 2 / rows.length, 4), 40);
  for (const pane of panes) pane.plot.style.height = pane.side.style.height = `${Math.round(row * rows.length)}px`;
  // Short rows have thin frames, which hide less.
  pictures.style.setProperty('--frame', row < 9 ? 0.8 : 1.6);
  for (const pane of panes) pane.show();
}

// The names and values in the note on a cell.
function facts(cell) {
  const list = [
    ['step', `${whole.format(cell.step)}, partition ${whole.format(cell.partition)}`],
    ['begins', `${((ticks.begin + cell.start) / ticks.second).toFixed(9)} s`],
    ['takes', time(cell.duration)],
    ['late', cell.lateness ? `${time(cell.lateness)}, ${classes[cell.cls]}` : 'no'],
  ];
  if (cell.lateness) list.push(['new lateness', time(cell.added)]);
  const peers = (way, end) => way.map(index => rows[cells[messages[index][end]].row]).join(', ');
  if (cell.sent.length) list.push(['sends to', peers(cell.sent, 1)]);
  if (cell.received.length) list.push(['receives from', peers(cell.received, 0)]);
  list.push(['position', whole.format(cell.position)]);
  return list;
}

function said(cell) {
  const head = document.createElement('div');
  const strong = document.createElement('strong');
  strong.textContent = rows[cell.row];
  head.append(strong, ` ${cell.name} (${kinds[cell.kind]})`);
  return head;
}

function draw(class_, pane, d) {
  pane.over.append(element('path', { class: class_, d }));
}
const ways = (pane, list) => list.map(index => {
  const [x, y, toX, toY] = pane.line(index);
  return `M${x} ${y}L${toX} ${toY}`;
}).join('');

let hovered = [];
function hover(found, event) {
  for (const rect of hovered) rect.classList.remove('hovered');
  for (const old of document.querySelectorAll('.over .near')) old.remove();
  hovered = [];
  let list = [], ends = [], shown = [];
  if (found?.cell !== undefined) {
    const cell = cells[found.cell];
    list = [...cell.sent, ...cell.received];
    ends = [cell];
    shown = [said(cell), factTable(facts(cell))];
  } else if (found?.message !== undefined) {
    list = [found.message];
    const [from, to] = ends = messages[found.message].map(index => cells[index]);
    const way = document.createElement('div');
    way.textContent = `message from ${rows[from.row]} to ${rows[to.row]}, step ${whole.format(from.step)} to ${whole.format(to.step)}, ` +
      `received ${time(to.start + to.duration - from.start)} after its send began`;
    shown = [way, said(from), said(to)];
  }
  for (const pane of panes) {
    for (const cell of ends) hovered.push(pane.rects[cell.index]);
    if (list.length) draw('near', pane, ways(pane, list));
  }
  for (const rect of hovered) rect.classList.add('hovered');
  showNote(shown, event);
}

function at(pane, event) {
  const cell = pane.numbers.get(event.target);
  if (cell !== undefined) return { cell };
  const message = pane.nearest(event);
  return message === null ? null : { message };
}

// Marks a cell in both pictures, with the path of its lateness.
const items = [...document.querySelectorAll('#origins [data-cell]')];
function select(index) {
  for (const old of document.querySelectorAll('.selected')) old.classList.remove('selected');
  for (const old of document.querySelectorAll('.over .path')) old.remove();
  const cell = cells[index];
  history.replaceState(null, '', cell ? `#select=${index}` : location.pathname + location.search);
  if (!cell) return;
  const item = items.find(item => +item.dataset.cell === index);
  item?.classList.add('selected');
  item?.scrollIntoView({ block: 'nearest' });
  const path = item?.dataset.path.split(' ').filter(Boolean).map(hop => hop.split('-').map(Number)) ?? [];
  for (const pane of panes) {
    pane.rects[index].classList.add('selected');
    const middle = hop => {
      const { x, y, width, height } = pane.boxes[hop];
      return `${x + width / 2} ${y + height / 2}`;
    };
    if (path.length) draw('path', pane, path.map(([from, to]) => `M${middle(from)}L${middle(to)}`).join(''));
    pane.reveal(index);
  }
  logical.rects[index].scrollIntoView({ block: 'nearest' });
}
for (const item of items) {
  item.addEventListener('click', () => select(+item.dataset.cell));
  item.addEventListener('mousemove', () => hover({ cell: +item.dataset.cell }));
  item.addEventListener('mouseleave', () => hover(null));
}

// The marks of origins in the map of all steps.
const marks = new Map([...document.querySelectorAll('.map .q')].map(mark => [mark.dataset.origin, mark]));
for (const item of document.querySelectorAll('#origins [data-mark]')) {
  const mark = marks.get(item.dataset.mark);
  if (!mark) continue;
  item.addEventListener('mouseenter', () => mark.classList.add('hovered'));
  item.addEventListener('mouseleave', () => mark.classList.remove('hovered'));
  item.addEventListener('click', () => {
    if (!item.dataset.cell) select(null);
    for (const one of [item, mark]) one.classList.add('selected');
  });
  mark.addEventListener('click', () => item.click());
}

let drag = null;
for (const pane of panes) {
  pane.plot.addEventListener('mousemove', event => { if (!drag?.far) hover(at(pane, event), event); });
  pane.plot.addEventListener('mouseleave', () => hover(null));
  pane.plot.addEventListener('wheel', event => {
    const unit = event.deltaMode === 1 ? 16 : 1;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      pane.pan((event.deltaX || event.deltaY) * unit);
    } else {
      pane.zoom(Math.exp(-event.deltaY * unit / 400), event.clientX - pane.plot.getBoundingClientRect().x);
    }
  }, { passive: false });
  pane.plot.addEventListener('pointerdown', event => {
    if (event.button === 0) drag = { pane, x: event.clientX, y: event.clientY, far: false };
  });
}
window.addEventListener('pointermove', event => {
  if (!drag) return;
  const [x, y] = [drag.x - event.clientX, drag.y - event.clientY];
  if (!drag.far && Math.hypot(x, y) < 4) return;
  drag = { ...drag, x: event.clientX, y: event.clientY, far: true };
  hover(null);
  drag.pane.pan(x);
  pictures.scrollTop += y;
});
window.addEventListener('pointerup', event => {
  if (drag && !drag.far) {
    const found = at(drag.pane, event);
    select(found?.cell ?? (found ? messages[found.message][1] : null));
  }
  drag = null;
});

// Colours.
const ramps = [...document.querySelectorAll('.ramp')];
function paint(measure) {
  for (const pane of panes) {
    pane.rects.forEach((rect, index) => {
      const base = rect.getAttribute('class').replace(/\bl\d/, `l${cells[index].levels[measure]}`);
      rect.setAttribute('class', base);
    });
  }
  ramps.forEach((ramp, index) => { ramp.hidden = index !== measure; });
}
for (const choice of document.querySelectorAll('input[name=measure]')) {
  choice.addEventListener('change', () => paint(+choice.value));
}

const all = action => () => { for (const pane of panes) action(pane); };
const actions = {
  '+': all(pane => pane.zoom(1.25)), '-': all(pane => pane.zoom(0.8)),
  '0': () => { arrange(); all(pane => pane.fit())(); },
  't': () => arrange(row * 1.25), 'l': () => arrange(row * 0.8),
  'ArrowLeft': all(pane => pane.pan(-80)), 'ArrowRight': all(pane => pane.pan(80)),
  'Escape': () => select(null),
};
actions['='] = actions['+'];
listen(actions);
window.addEventListener('resize', () => arrange());

function follow() {
  const wanted = /^#select=(\d+)$/.exec(location.hash);
  if (wanted) select(+wanted[1]);
}
window.addEventListener('hashchange', follow);
arrange();
for (const pane of panes) pane.fit();
paint(measures.indexOf('lateness'));
if (items.length) for (const pane of panes) pane.reveal(+items[0].dataset.cell);
follow();
document.body.dataset.ready = 'yes';
