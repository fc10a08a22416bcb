import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { THRESHOLD } from '../nodes/faq.ts';
import { Faq } from './faq.ts';

const lines = (name: string): string[] =>
  readFileSync(new URL(`../../../test/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const faqOf = (entries: Record<string, string>) =>
  new Faq(Object.entries(entries).map(([question, answer]) => ({ questions: [question], answer })));

describe('on more than 200 entries of public kind', () => {
  const entries = lines('agent-faq.txt').map((line) => {
    const [first = '', second = '', asked = '', answer = ''] = line.split(' | ');
    return { questions: [first, second], answer, asked };
  });
  const faq = new Faq(entries);

  it('answers at least 85 % of the paraphrases rightly', () => {
    expect(entries.length).toBeGreaterThanOrEqual(200);
    const right = entries.filter(({ asked, answer }) => faq.answer(asked, THRESHOLD) === answer).length;
    const first = entries.filter(({ asked, answer }) => faq.best(asked)?.answer === answer).length;
    console.log(`faq: ${right} of ${entries.length} answered rightly, ${first} ranked first`);
    expect(right / entries.length).toBeGreaterThanOrEqual(0.85);
    expect(first / entries.length).toBeGreaterThanOrEqual(0.9);
  });

  it('answers at most 5 % of the questions that have no answer', () => {
    const questions = lines('agent-faq-unanswered.txt');
    const answered = questions.filter((question) => faq.answer(question, THRESHOLD) !== undefined);
    console.log(`faq: ${answered.length} of ${questions.length} unanswerable questions answered`);
    expect(questions.length).toBeGreaterThanOrEqual(100);
    expect(answered.length / questions.length).toBeLessThanOrEqual(0.05);
  });

  it('finds every entry by its own questions', () => {
    for (const { questions, answer } of entries) {
      for (const question of questions) expect(faq.answer(question.toUpperCase(), 1)).toBe(answer);
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
  ])('%s: %j, asked %s', (_, entries, asked, answer) => {
    expect(faqOf(entries).answer(asked, THRESHOLD)).toBe(answer);
  });
});

describe('at the edges', () => {
  it.each(['', '???', '😀', 'the', 'x'.repeat(10_000), 'a '.repeat(5_000)])('%#', (asked) => {
    expect(faqOf({ 'Do you deliver?': 'D' }).answer(asked, THRESHOLD)).toBeUndefined();
    expect(new Faq([]).answer(asked, 0)).toBeUndefined();
  });

  it('takes the threshold at its word', () => {
    const faq = faqOf({ 'Do you deliver on Sundays?': 'D', 'How can I pay?': 'P' });
    expect(faq.answer('penguins on sundays', 0)).toBe('D');
    expect(faq.answer('penguins on sundays', 1)).toBeUndefined();
    expect(faq.answer('do you deliver on sundays', 1)).toBe('D');
  });

  it('is quick on as many entries as a workflow holds', () => {
    const entries = Array.from({ length: 1_000 }, (_, i) => ({
      questions: Array.from(
        { length: 5 },
        (_, j) => `How do I order item ${i} in colour ${j}, delivered home?`,
      ),
      answer: `${i}`,
    }));
    const faq = new Faq(entries);
    const started = performance.now();
    for (let i = 0; i < 20; i++)
      faq.answer(`I would like to have item ${i} delivered, how do I order it`, THRESHOLD);
    expect((performance.now() - started) / 20).toBeLessThan(60);
  });
});
