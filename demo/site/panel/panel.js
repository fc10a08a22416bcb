import { CONTROLS, selectOf } from './controls.js';
import { element } from './element.js';
import { GROUPS, SURROUNDINGS } from './fields.js';
import { Preview } from './preview.js';

/** A pause in writing (ms) after which what was written is saved. */
const PAUSE = 300;

const byId = (id) => document.getElementById(id);
const saying = byId('saving');
const preview = new Preview(byId('preview'), (facts) => {
  byId('facts').textContent = facts;
});
const controls = new Map();
let presets = {};
let waiting = {};
/** What is being saved, or will be after that: the answers to what came before it know nothing of it. */
const queued = [];
let timer = 0;
let saved = Promise.resolve();

/** Notes a change; it is saved, and shown by the widget, after a pause. */
function change(settings) {
  Object.assign(waiting, settings);
  clearTimeout(timer);
  timer = setTimeout(save, PAUSE);
}

/** Saves what waits, one PATCH after another. */
function save() {
  const settings = waiting;
  waiting = {};
  queued.push(settings);
  saying.textContent = 'Saving …';
  saved = saved
    .then(() => send(settings))
    .catch(() => {
      saying.textContent = 'Not saved: the server does not answer.';
    });
}

async function patch(settings) {
  try {
    const answer = await fetch('settings', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(settings),
    });
    return { answer, body: await answer.json() };
  } finally {
    queued.shift();
  }
}

async function send(settings) {
  const { answer, body } = await patch(settings);
  const faultOf = (name) => (answer.ok ? '' : (body[name]?.[0] ?? ''));
  for (const name of Object.keys(settings)) controls.get(name)?.complain?.(faultOf(name));
  if (!answer.ok) {
    // One bad field keeps all that came with it: what is good goes by itself.
    const good = Object.entries(settings).filter(([name]) => !faultOf(name));
    if (good.length > 0 && good.length < Object.keys(settings).length) change(Object.fromEntries(good));
    saying.textContent = body.detail ?? 'Not saved: see below.';
    return;
  }
  fill(Object.assign({}, body, ...queued, waiting));
  await preview.renew();
  saying.textContent = 'Saved';
}

function fill(widget) {
  for (const control of controls.values()) control.set(widget);
}

function build() {
  GROUPS.forEach(([title, fields], index) => {
    const made = fields.map(([name, kind, label, more]) => {
      const control = CONTROLS[kind](name, label, more, change);
      controls.set(name, control);
      return control.node;
    });
    const group = element('details', { open: index < 2 }, element('summary', {}, title), ...made);
    byId('settings').append(group);
  });
  for (const [name, label, options] of SURROUNDINGS) {
    byId('stage').append(selectOf(name, label, options, (value) => preview.surround(name, value)));
  }
  byId('stage').append(element('button', { type: 'button', onclick: () => preview.forget() }, 'New visitor'));
  byId('settings').addEventListener('submit', (event) => event.preventDefault());
  for (const button of document.querySelectorAll('[data-preset]')) {
    button.addEventListener('click', () => change(presets[button.dataset.preset]));
  }
  const tabs = [...document.querySelectorAll('[data-tab]')];
  const show = (tab) => {
    document.body.dataset.shown = tab.dataset.tab;
    for (const other of tabs) other.setAttribute('aria-pressed', String(other === tab));
  };
  for (const tab of tabs) tab.addEventListener('click', () => show(tab));
  show(tabs[0]);
}

build();
const { widget, ...named } = await (await fetch('settings')).json();
presets = named;
fill(widget);
preview.start(widget.token);
