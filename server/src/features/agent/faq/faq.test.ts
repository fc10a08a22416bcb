import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CpuBudget, OWN_WORK } from '../../../platform/cpu-budget.ts';
import { THRESHOLD } from '../nodes/faq.ts';
import { Faq } from './faq.ts';

const lines = (name: string): string[] =>
  readFileSync(new URL(`../../../../test/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const own = () => new CpuBudget(OWN_WORK);

const faqOf = (entries: Record<string, string>) =>
  Faq.from(
    Object.entries(entries).map(([question, answer]) => ({ questions: [question], answer })),
    own(),
  );

describe('on more than 200 entries of public kind', () => {
  const entries = lines('agent-faq.txt').map((line) => {
    const [first = '', second = '', asked = '', answer = ''] = line.split(' | ');
    return { questions: [first, second], answer, asked };
  });

  it('answers at least 85 % of the paraphrases rightly', async () => {
    const faq = await Faq.from(entries, own());
    expect(entries.length).toBeGreaterThanOrEqual(200);
    let right = 0;
    let first = 0;
    for (const { asked, answer } of entries) {
      if ((await faq.answer(asked, THRESHOLD, own())) === answer) right++;
      if ((await faq.best(asked, own()))?.answer === answer) first++;
    }
    console.log(`faq: ${right} of ${entries.length} answered rightly, ${first} ranked first`);
    expect(right / entries.length).toBeGreaterThanOrEqual(0.85);
    expect(first / entries.length).toBeGreaterThanOrEqual(0.9);
  });

  it('answers at most 5 % of the questions that have no answer', async () => {
    const faq = await Faq.from(entries, own());
    const questions = lines('agent-faq-unanswered.txt');
    const answers = await Promise.all(questions.map((question) => faq.answer(question, THRESHOLD, own())));
    const answered = answers.filter((answer) => answer !== undefined);
    console.log(`faq: ${answered.length} of ${questions.length} unanswerable questions answered`);
    expect(questions.length).toBeGreaterThanOrEqual(100);
    expect(answered.length / questions.length).toBeLessThanOrEqual(0.05);
  });

  it('finds every entry by its own questions', async () => {
    const faq = await Faq.from(entries, own());
    for (const { questions, answer } of entries) {
      for (const question of questions)
        expect(await faq.answer(question.toUpperCase(), 1, own())).toBe(answer);
    }
  });
});

describe('in any script', () => {
  it.each<[language: string, entries: Record<string, string>, asked: string, answer: string | undefined]>([
    [
      'German',
      { 'Wie lange dauert die Lieferung?': 'D', 'Wie kann ich bezahlen?': 'P' },
      'Lieferungen dauern wie lange',
      'D',
    ],
    [
      'French',
      { 'Quand arrive ma commande ?': 'D', 'Comment puis-je payer ?': 'P' },
      'l’arrivée de ma commande',
      'D',
    ],
    [
      'Spanish',
      { '¿Cuánto tarda el envío?': 'D', '¿Cómo puedo pagar?': 'P' },
      'cuanto tardan los envios',
      'D',
    ],
    ['Russian', { 'Сколько стоит доставка?': 'D', 'Как вернуть товар?': 'R' }, 'можно вернуть товары', 'R'],
    ['Greek', { 'Πόσο κοστίζει η αποστολή;': 'D', 'Πώς πληρώνω;': 'P' }, 'κοστιζει η αποστολη', 'D'],
    ['Japanese', { 配送はどのくらいかかりますか: 'D', 返品できますか: 'R' }, '返品したい', 'R'],
    ['Japanese', { 配送はどのくらいかかりますか: 'D', 返品できますか: 'R' }, '天気はどうですか', undefined],
    ['Chinese', { '如何退货？': 'R', '多久可以送到？': 'D' }, '怎么退货', 'R'],
    ['Thai', { จัดส่งใช้เวลากี่วัน: 'D', คืนสินค้าได้ไหม: 'R' }, 'อยากคืนสินค้า', 'R'],
    ['Arabic', { 'متى يصل طلبي؟': 'D', 'كيف يمكنني الدفع؟': 'P' }, 'متى يصل الطلب طلبي', 'D'],
    ['Hebrew', { 'מתי תגיע ההזמנה?': 'D', 'איך משלמים?': 'P' }, 'מתי ההזמנה תגיע', 'D'],
    ['Korean', { '배송은 얼마나 걸리나요?': 'D', '환불은 어떻게 하나요?': 'R' }, '환불은 어떻게', 'R'],
  ])('%s: %j, asked %s', async (_, entries, asked, answer) => {
    expect(await (await faqOf(entries)).answer(asked, THRESHOLD, own())).toBe(answer);
  });
});

/** Entries of which each is as large as a workflow holds, made to be slow. */
const HOSTILE: Record<string, { questions: string[]; answer: string }[]> = {
  'terms that begin alike': Array.from({ length: 10 }, (_, entry) => ({
    questions: Array.from({ length: 50 }, (_, question) =>
      Array.from({ length: 50 }, (_, n) => `abcde${((entry * 50 + question) * 50 + n).toString(36)}`).join(
        ' ',
      ),
    ),
    answer: 'x',
  })),
  'letters that become many': Array.from({ length: 14 }, () => ({
    questions: ['\ufdfa'.repeat(500)],
    answer: '\ufdfa'.repeat(5_500),
  })),
};

describe.each(Object.entries(HOSTILE))('of %s', (_, entries) => {
  it('is made ready and asked without holding everybody up', async () => {
    const alike = Array.from({ length: 250 }, (_, n) => `abcde${n.toString(36)}`).join(' ');
    const begun = performance.now();
    const faq = await Faq.from(entries, own());
    for (const asked of [alike, '\ufdfa'.repeat(10_000)]) await faq.answer(asked, 0.5, own());
    // They took 20 and 3 seconds.
    expect(performance.now() - begun).toBeLessThan(2_500);
  });
});

describe('at the edges', () => {
  it.each(['', '???', '😀', 'the', 'x'.repeat(10_000), 'a '.repeat(5_000)])('%#', async (asked) => {
    const faq = await faqOf({ 'Do you deliver?': 'D' });
    expect(await faq.answer(asked, THRESHOLD, own())).toBeUndefined();
    expect(await (await Faq.from([], own())).answer(asked, 0, own())).toBeUndefined();
  });

  it('takes the threshold at its word', async () => {
    const faq = await faqOf({ 'Do you deliver on Sundays?': 'D', 'How can I pay?': 'P' });
    expect(await faq.answer('penguins on sundays', 0, own())).toBe('D');
    expect(await faq.answer('penguins on sundays', 1, own())).toBeUndefined();
    expect(await faq.answer('do you deliver on sundays', 1, own())).toBe('D');
  });

  it('finds the answer among as many entries as a workflow holds', async () => {
    const entries = Array.from({ length: 1_000 }, (_, i) => ({
      questions: Array.from(
        { length: 5 },
        (_, j) => `How do I order item ${i} in colour ${j}, delivered home?`,
      ),
      answer: `${i}`,
    }));
    const faq = await Faq.from(entries, own());
    for (let i = 0; i < 20; i++)
      expect(
        await faq.answer(`How do I order item ${i} in colour 3, delivered home?`, THRESHOLD, own()),
      ).toBe(`${i}`);
  });
});
