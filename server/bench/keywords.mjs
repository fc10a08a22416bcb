import { Matcher } from '../dist/features/keywords/matcher.js';
import { CpuBudget, OWN_WORK } from '../dist/platform/cpu-budget.js';
import { fold } from '../dist/platform/folding.js';
import { median } from './ratio.mjs';

const KEYWORDS = 1_000;
const LENGTH = 10_000;
const ROUNDS = 200;

/** @type {Record<string, { letters: string, between: string }>} */
const SCRIPTS = {
  Latin: { letters: 'abcdefghijklmnopqrstuvwxyz', between: ' ' },
  'Latin with accents': { letters: 'aàbcçdeéèfgiïlmnoöprsßtuüvz', between: ' ' },
  Cyrillic: { letters: 'абвгдежзийклмнопрстуфхцчшщъыьэюя', between: ' ' },
  Chinese: { letters: '我要退款謝請快送貨單價格問題天地人你他她好可以幫忙嗎這個東西', between: '' },
};

/** Numbers from 0 up to 1, the same in each run. */
const sequence = () => {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};

/** Folding and matching one long message, as the relay does for each. */
export const keywords = async () => {
  for (const [name, { letters, between }] of Object.entries(SCRIPTS)) {
    const random = sequence();
    const word = () =>
      Array.from(
        { length: 2 + Math.floor(random() * 8) },
        () => letters[Math.floor(random() * letters.length)],
      ).join('');
    const configured = new Set();
    while (configured.size < KEYWORDS) configured.add(fold(random() < 0.3 ? `${word()} ${word()}` : word()));
    const all = [...configured];
    let text = '';
    while (text.length < LENGTH)
      text += (random() < 0.05 ? all[Math.floor(random() * KEYWORDS)] : word()) + between;
    text = text.slice(0, LENGTH);
    const matcher = await Matcher.from(all, new CpuBudget(OWN_WORK));
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      await matcher.mentionedIn(fold(text), new CpuBudget(OWN_WORK));
      times.push(performance.now() - begun);
    }
    console.log(
      `${`${KEYWORDS} keywords, ${name}`.padEnd(36)} ${median(times).toFixed(2)} ms for ${LENGTH} characters   goal at most 1`,
    );
  }
};
