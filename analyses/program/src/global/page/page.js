const picture = document.getElementById('picture');
const svg = picture.querySelector('svg');
const text = document.getElementById('text');
const model = document.getElementById('model');

// The data of each construct, in the order of the text.
const constructs = new Map();
{
  const lines = text.children;
  const rows = JSON.parse(document.getElementById('data').textContent);
  rows.forEach((row, index) => {
    const [number, count, processes, instances, events, messages, nanoseconds, sent, received] = row;
    const line = lines[index];
    constructs.set(number, {
      number, count, processes, instances, events, messages, nanoseconds, sent, received, line,
      mark: document.getElementById('c' + number), arrows: [],
    });
    line.dataset.number = number;
  });
}
// The note shows more than the titles of the picture.
for (const title of svg.querySelectorAll('title')) {
  title.parentNode.dataset.title = title.textContent;
  title.remove();
}
for (const arrow of svg.querySelectorAll('[data-f]')) {
  for (const end of [arrow.dataset.f, arrow.dataset.t]) constructs.get(end)?.arrows.push(arrow);
}

// Zoom and pan.
const size = { width: svg.width.baseVal.value, height: svg.height.baseVal.value };
const view = { x: 0, y: 0, scale: 1 };
const names = sticky();

function show() {
  const [width, height] = [picture.clientWidth, picture.clientHeight];
  // A part of the picture always stays in sight.
  const [w, h] = [width / view.scale, height / view.scale];
  view.x = Math.min(Math.max(view.x, -0.9 * w), size.width - 0.1 * w);
  view.y = Math.min(Math.max(view.y, -0.9 * h), size.height - 0.1 * h);
  svg.setAttribute('viewBox', [view.x, view.y, w, h].join(' '));
  svg.setAttribute('preserveAspectRatio', 'xMinYMin');
  names.place();
}

function zoom(factor, x = picture.clientWidth / 2, y = picture.clientHeight / 2) {
  const scale = Math.min(Math.max(view.scale * factor, 0.02), 12);
  view.x += x / view.scale - x / scale;
  view.y += y / view.scale - y / scale;
  view.scale = scale;
  show();
}

function pan(x, y) {
  view.x += x / view.scale;
  view.y += y / view.scale;
  show();
}

// Scales the picture so that all processes are visible, starting at the left edge.
function fitHeight() {
  view.scale = Math.min(picture.clientHeight / size.height, 1.5);
  view.x = 0;
  view.y = 0;
  show();
}

function fitAll() {
  view.scale = Math.min(picture.clientWidth / size.width, picture.clientHeight / size.height);
  view.x = 0;
  view.y = 0;
  show();
}

// Keeps the names of the processes at the left edge when they would be out of sight.
function sticky() {
  const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  const labels = [...model.querySelectorAll('text.p:not(.r):not(.m)')];
  const offset = model.getCTM() && model.transform.baseVal.consolidate().matrix;
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const widest = Math.max(0, ...labels.map(label => label.textContent.length)) * 6.2 + 8;
  for (const [name, value] of [['y', 0], ['width', widest], ['height', size.height]]) {
    ground.setAttribute(name, value);
  }
  group.append(ground);
  for (const label of labels) {
    const copy = label.cloneNode(true);
    copy.setAttribute('x', widest - 4);
    copy.setAttribute('y', +label.getAttribute('y') + (offset ? offset.f : 0));
    group.append(copy);
  }
  group.id = 'names';
  svg.append(group);
  return {
    place() {
      group.setAttribute('visibility', offset && view.x > offset.e - widest ? 'visible' : 'hidden');
      group.setAttribute('transform', `translate(${view.x} 0)`);
    },
  };
}

picture.addEventListener('wheel', event => {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : 1;
  if (event.shiftKey) pan((event.deltaY || event.deltaX) * unit, 0);
  else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX * unit, 0);
  else {
    const corner = picture.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * unit / 400), event.clientX - corner.left, event.clientY - corner.top);
  }
}, { passive: false });

let drag = null;
picture.addEventListener('pointerdown', event => {
  if (event.button === 0) drag = { x: event.clientX, y: event.clientY, far: false };
});
window.addEventListener('pointermove', event => {
  if (!drag) return;
  const [x, y] = [drag.x - event.clientX, drag.y - event.clientY];
  if (!drag.far && Math.hypot(x, y) < 4) return;
  drag = { x: event.clientX, y: event.clientY, far: true };
  picture.classList.add('dragging');
  note.hidden = true;
  pan(x, y);
});
window.addEventListener('pointerup', event => {
  if (drag && !drag.far && picture.contains(event.target)) {
    const found = at(event);
    select(found.construct ?? found.arrow?.dataset.f ?? null, 'picture');
  }
  drag = null;
  picture.classList.remove('dragging');
});

const actions = {
  '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8), '_': () => zoom(0.8),
  '0': fitHeight, 'a': fitAll, 'Escape': () => select(null),
  'ArrowLeft': () => pan(-80, 0), 'ArrowRight': () => pan(80, 0),
  'ArrowUp': () => pan(0, -80), 'ArrowDown': () => pan(0, 80),
  'Home': () => { view.x = 0; show(); }, 'End': () => { view.x = size.width; pan(-picture.clientWidth, 0); },
};
listen(actions, '#text, input');
window.addEventListener('resize', show);

// What the mouse points at: a nearby event or collective operation, an arrow, or a loop.
const small = [];
for (const construct of constructs.values()) {
  const { mark } = construct;
  if (!mark || mark.tagName === 'rect') continue;
  if (mark.tagName === 'path') {
    const [x, y] = mark.getAttribute('d').slice(1).split(/[ v]/).map(Number);
    small.push({ construct, x, top: y, bottom: y + 8 });
  } else {
    const ys = [...mark.querySelectorAll('circle')].map(dot => +dot.getAttribute('cy'));
    const x = +mark.querySelector('circle').getAttribute('cx');
    small.push({ construct, x, top: Math.min(...ys), bottom: Math.max(...ys) });
  }
}

const arrows = [...svg.querySelectorAll('[data-f]')].map(arrow => {
  const [x, y, toX, toY] = arrow.getAttribute('d').slice(1).split(/[ L]/).map(Number);
  return { arrow, x, y, width: toX - x, height: toY - y };
});

// Returns the distance from a point to an arrow.
function away({ x, y, width, height }, point) {
  const along = ((point.x - x) * width + (point.y - y) * height) / (width * width + height * height || 1);
  const part = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x + part * width - point.x, y + part * height - point.y);
}

function at(event) {
  const matrix = model.getScreenCTM();
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  let [nearest, distance] = [null, Math.max(5, 5 / view.scale)];
  for (const one of small) {
    const y = Math.max(one.top - point.y, point.y - one.bottom, 0);
    const far = Math.hypot(one.x - point.x, y);
    if (far < distance) [nearest, distance] = [one.construct.number, far];
  }
  if (nearest) return { construct: nearest };
  let arrow = null;
  distance = Math.max(3, 3 / view.scale);
  for (const one of arrows) {
    const far = away(one, point);
    if (far < distance) [arrow, distance] = [one.arrow, far];
  }
  if (arrow) return { arrow };
  return { construct: event.target.closest?.('rect.b')?.id.slice(1) };
}

const count = (value, one, many = one + 's') => `${whole.format(value)} ${value === 1 ? one : many}`;
function amount(value, units, step) {
  let unit = 0;
  while (Math.abs(value) >= step && unit + 1 < units.length) {
    value /= step;
    unit += 1;
  }
  return `${whole.format(+value.toPrecision(4))} ${units[unit]}`;
}
const time = nanoseconds => amount(nanoseconds, ['ns', 'µs', 'ms', 's'], 1000);
const bytes = value => amount(value, ['B', 'kB', 'MB', 'GB', 'TB'], 1000);

const fates = {
  later: 'in another iteration', outside: 'outside of the loop', dangling: 'not in the trace',
};
function facts(construct) {
  const rows = [];
  if (construct.count) rows.push(['iterations', whole.format(construct.count)]);
  rows.push(['executed', count(construct.instances, 'time')]);
  rows.push(['events', whole.format(construct.events)]);
  const fate = fates[construct.mark?.dataset.fate];
  if (fate) rows.push(['other end', fate]);
  if (construct.messages) rows.push(['messages sent', whole.format(construct.messages)]);
  if (construct.sent) rows.push(['sent', bytes(construct.sent)]);
  if (construct.received) rows.push(['received', bytes(construct.received)]);
  if (construct.nanoseconds) {
    const each = construct.nanoseconds / construct.processes;
    const turns = construct.instances * (construct.count || 1);
    const once = time(each / turns);
    rows.push([construct.count ? 'time' : 'time in the call', `${time(construct.nanoseconds)} over all processes`]);
    if (construct.processes > 1) rows.push(['', `${time(each)} per process`]);
    if (turns > 1) rows.push(['', `${once} ${construct.count ? 'per iteration' : 'per execution'}`]);
  }
  return rows;
}

function described(number) {
  const construct = constructs.get(number);
  const parts = [];
  const said = document.createElement('div');
  said.className = 'said';
  const strong = document.createElement('strong');
  strong.textContent = `[${number}] `;
  said.append(strong, construct.line.querySelector('span').textContent.trim());
  return said;
}

let hovered = [];
function hover(found, event) {
  for (const element of hovered) element.classList.remove('hovered');
  hovered = [];
  let shown = [];
  const construct = found.construct && constructs.get(found.construct);
  if (construct) {
    hovered = [construct.mark, construct.line].filter(Boolean);
    shown = [described(construct.number), factTable(facts(construct))];
  } else if (found.arrow) {
    const { f, t, title } = found.arrow.dataset;
    hovered = [found.arrow];
    const way = document.createElement('div');
    way.textContent = title ?? 'message';
    shown = [way, described(f), described(t)];
  }
  for (const element of hovered) element.classList.add('hovered');
  showNote(shown, event);
}
picture.addEventListener('mousemove', event => { if (!drag?.far) hover(at(event), event); });
picture.addEventListener('mouseleave', () => hover({}));
text.addEventListener('mousemove', event => {
  hover({ construct: event.target.closest('[data-number]')?.dataset.number }, event);
});
text.addEventListener('mouseleave', () => hover({}));

// Marks a construct in the text and in the picture, and scrolls both to it.
function select(number, where) {
  for (const element of document.querySelectorAll('.selected, .related')) {
    element.classList.remove('selected', 'related');
  }
  const construct = constructs.get(number);
  history.replaceState(null, '', construct ? `#select=${number}` : location.pathname + location.search);
  if (!construct) return;
  construct.line.classList.add('selected');
  construct.mark?.classList.add('selected');
  for (const arrow of construct.arrows) arrow.classList.add('related');
  if (where !== 'text') construct.line.scrollIntoView({ block: 'center' });
  if (where !== 'picture' && construct.mark) reveal(construct.mark.getBBox());
}

function reveal(box) {
  const offset = model.transform.baseVal.consolidate().matrix;
  const [x, y] = [box.x + offset.e, box.y + offset.f];
  const [width, height] = [picture.clientWidth / view.scale, picture.clientHeight / view.scale];
  const outside = (from, length, start, room) => from < start || from + Math.min(length, room) > start + room;
  if (outside(x, box.width, view.x, width)) view.x = x + Math.min(box.width, width) / 2 - width / 2;
  if (outside(y, box.height, view.y, height)) view.y = y + Math.min(box.height, height) / 2 - height / 2;
  show();
}
text.addEventListener('click', event => {
  const line = event.target.closest('[data-number]');
  if (line) select(line.dataset.number, 'text');
});

function follow() {
  const wanted = /^#select=([\d.]+)$/.exec(location.hash);
  if (wanted) select(wanted[1]);
}
// Shows the loop that takes the most time.
function open() {
  const loops = [...constructs.values()].filter(({ count }) => count > 0);
  const longest = loops.reduce((a, b) => b.nanoseconds > a.nanoseconds ? b : a, loops[0]);
  if (!longest?.mark) return;
  text.scrollTop = longest.line.offsetTop - text.offsetTop;
  view.x = longest.mark.getBBox().x;
  show();
}
window.addEventListener('hashchange', follow);
fitHeight();
open();
follow();
document.body.dataset.ready = 'yes';
