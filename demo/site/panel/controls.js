import { element } from './element.js';

const VERTICAL = { top: 'top', center: 'middle', bottom: 'bottom' };
const HORIZONTAL = { left: 'left', center: 'centre', right: 'right' };

/** Buttons of which one is chosen: radio buttons, so that the arrow keys move between them. */
function radios(name, options, change) {
  const inputs = Object.entries(options).map(([value, label]) => {
    const input = element('input', { type: 'radio', name, value, onchange: () => change(value) });
    return [input, element('label', { class: 'choice' }, input, element('span', {}, label))];
  });
  return {
    nodes: inputs.map(([, label]) => label),
    set(value) {
      for (const [input] of inputs) input.checked = input.value === String(value);
    },
  };
}

/** A control in a fieldset, for what has more than one input. */
function group(label, kind, { nodes, set }) {
  return { node: element('fieldset', { class: kind }, element('legend', {}, label), ...nodes), set };
}

/** A control with one input: its label, the input, a hint, and room for what is wrong with it. */
function labelled(name, label, hint, input, extra) {
  const hintId = `${name}-hint`;
  const faultId = `${name}-fault`;
  input.id = name;
  input.setAttribute('aria-describedby', hint ? `${hintId} ${faultId}` : faultId);
  const fault = element('span', { class: 'fault', id: faultId });
  const node = element(
    'div',
    { class: `field ${input.type === 'checkbox' ? 'switch' : ''}` },
    element('label', { for: name }, label),
    extra ? element('span', { class: 'pair' }, input, extra) : input,
    hint ? element('span', { class: 'hint', id: hintId }, hint) : undefined,
    fault,
  );
  const complain = (text) => {
    fault.textContent = text;
    input.setAttribute('aria-invalid', String(text !== ''));
  };
  return { node, complain };
}

/** One kind of control each: `(name, label, hint or choices, change)` gives its node, `set` and `complain`. */
export const CONTROLS = {
  text: (name, label, hint, change) => single(element('input', { type: 'text' }), name, label, hint, change),
  address: (name, label, hint, change) =>
    single(element('input', { type: 'url', placeholder: 'https://' }), name, label, hint, change),
  paragraph: (name, label, hint, change) =>
    single(element('textarea', { rows: '3' }), name, label, hint, change),

  seconds(name, label, hint, change) {
    const input = element('input', { type: 'number', min: '0', max: '86400', inputmode: 'numeric' });
    input.addEventListener('input', () => change({ [name]: input.valueAsNumber || 0 }));
    return { ...labelled(name, label, hint, input), set: (widget) => assign(input, widget[name]) };
  },

  switch(name, label, hint, change) {
    const input = element('input', { type: 'checkbox', role: 'switch' });
    input.addEventListener('change', () => change({ [name]: input.checked }));
    const set = (widget) => {
      input.checked = widget[name];
    };
    return { ...labelled(name, label, hint, input), set };
  },

  color(name, label, hint, change) {
    const input = element('input', { type: 'text', spellcheck: 'false', maxlength: '9' });
    const picker = element('input', { type: 'color', 'aria-label': 'Pick a colour' });
    const pick = (value) => {
      if (/^#[\da-f]{6}$/i.test(value)) picker.value = value;
    };
    input.addEventListener('input', () => {
      pick(input.value);
      change({ [name]: input.value });
    });
    picker.addEventListener('input', () => {
      input.value = picker.value;
      change({ [name]: picker.value });
    });
    const set = (widget) => {
      assign(input, widget[name]);
      pick(widget[name]);
    };
    return { ...labelled(name, label, hint, input, picker), set };
  },

  choice(name, label, options, change) {
    const made = radios(name, options, (value) => change({ [name]: value }));
    return group(label, 'choices', { nodes: made.nodes, set: (widget) => made.set(widget[name]) });
  },

  /** Two settings in one: nine places as they lie on the screen. */
  place(name, label, _hint, change) {
    const options = Object.entries(VERTICAL).flatMap(([vertical, row]) =>
      Object.entries(HORIZONTAL).map(([horizontal, column]) => [
        `${vertical} ${horizontal}`,
        vertical === horizontal ? 'in the middle' : `${row} ${column}`,
      ]),
    );
    const made = radios(name, Object.fromEntries(options), (value) => {
      const [vertical_align, horizontal_align] = value.split(' ');
      change({ vertical_align, horizontal_align });
    });
    return group(label, 'place', {
      nodes: made.nodes,
      set: (widget) => made.set(`${widget.vertical_align} ${widget.horizontal_align}`),
    });
  },
};

/** A choice of the page around the widget; it tells the value itself. */
export function selectOf(name, label, options, change) {
  const select = element('select', { id: `around-${name}` });
  for (const [value, text] of Object.entries(options)) select.append(element('option', { value }, text));
  // Keys that are numbers come first in any object: the empty one is the usual one.
  const usual = [...select.options].find((option) => option.value === '');
  if (usual) select.prepend(usual);
  select.selectedIndex = 0;
  select.addEventListener('change', () => change(select.value));
  return element('div', { class: 'around' }, element('label', { for: select.id }, label), select);
}

function single(input, name, label, hint, change) {
  input.addEventListener('input', () => change({ [name]: input.value }));
  return { ...labelled(name, label, hint, input), set: (widget) => assign(input, widget[name]) };
}

/** Leaves the field that one writes in alone. */
function assign(input, value) {
  if (document.activeElement !== input) input.value = value;
}
