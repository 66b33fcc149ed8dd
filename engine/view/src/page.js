'use strict';
window.addEventListener('error', event => { document.body.dataset.error = event.message; });

const whole = new Intl.NumberFormat('en');
const note = document.getElementById('note');

// Shows these elements in the note, next to the mouse; hides the note if there are none.
function showNote(elements, event) {
  note.replaceChildren(...elements);
  note.hidden = elements.length === 0;
  if (note.hidden || !event) return;
  const { width, height } = note.getBoundingClientRect();
  const [right, below] = [event.clientX + 14, event.clientY + 14];
  note.style.left = `${Math.max(2, right + width > innerWidth ? event.clientX - width - 10 : right)}px`;
  note.style.top = `${Math.max(2, below + height > innerHeight ? event.clientY - height - 10 : below)}px`;
}

// Returns a table with a row per name and value.
function factTable(facts) {
  const table = document.createElement('table');
  for (const [name, value] of facts) {
    const row = table.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = value;
  }
  return table;
}

// Performs the actions by their keys and by the buttons that have these keys. Keys that are pressed in the elements
// `others`, which use them themselves, are ignored.
function listen(actions, others = 'input') {
  window.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.(others)) return;
    const action = actions[event.key];
    if (action) {
      action();
      event.preventDefault();
    }
  });
  for (const button of document.querySelectorAll('header button')) {
    button.addEventListener('click', () => actions[button.dataset.key]());
  }
}

