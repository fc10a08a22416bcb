// The single-page part of the shop: a lamp's own view takes the place of the list, and the address follows.
const LAMPS = {
  dome: [
    'Dome',
    'Terracotta shade and foot, brass stem',
    '€ 240',
    '38 cm high, 28 cm wide',
    'Terracotta, chalk, ink',
  ],
  globe: [
    'Globe',
    'Hand-blown opal glass on a sage foot',
    '€ 280',
    '36 cm high, 26 cm wide',
    'Sage, clay, charcoal',
  ],
  cone: [
    'Cone',
    'Linen shade, brass stem, pull cord',
    '€ 195',
    '42 cm high, 30 cm wide',
    'Natural, rust, moss',
  ],
  column: [
    'Column',
    'A tube of opal glass on oiled oak',
    '€ 260',
    '40 cm high, 14 cm wide',
    'Oak, smoked oak',
  ],
  arc: [
    'Arc',
    'A reading lamp that leans over the page',
    '€ 320',
    '46 cm high, 34 cm wide',
    'Sage, terracotta',
  ],
  tripod: [
    'Tripod',
    'Linen on three turned oak legs',
    '€ 230',
    '44 cm high, 26 cm wide',
    'Natural, rust, moss',
  ],
};

const shop = document.getElementById('shop');
const list = [...shop.childNodes];
const title = document.title;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function show() {
  const key = location.hash.slice(1);
  const lamp = LAMPS[key];
  if (!lamp) {
    document.title = title;
    shop.replaceChildren(...list);
    return;
  }
  const [name, what, price, size, glazes] = lamp;
  document.title = `${name}: Lantern Row`;
  const fact = (term, text) => element('div', {}, element('dt', {}, term), element('dd', {}, text));
  shop.replaceChildren(
    element(
      'article',
      { class: 'lamp' },
      element('img', { src: `img/${key}.svg`, alt: `The ${name} lamp, lit`, width: '320', height: '360' }),
      element(
        'div',
        {},
        element('p', {}, element('a', { href: '#' }, '← All lamps')),
        element('h1', { tabindex: '-1' }, name),
        element('p', { class: 'lead' }, what),
        element('dl', { class: 'facts' }, fact('Price', price), fact('Size', size), fact('Made in', glazes)),
        element('p', {}, 'Made to order in about two weeks. Ask us in the chat for another glaze or size.'),
      ),
    ),
  );
  shop.querySelector('h1').focus();
  scrollTo(0, 0);
}

addEventListener('hashchange', show);
if (location.hash) show();
