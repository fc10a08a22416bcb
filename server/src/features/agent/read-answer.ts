import { type AnswerKind, optionalEmail, optionalPhone, webAddress } from '@parlor/shared';
import { fold } from '../../platform/folding.ts';

const email = optionalEmail();
const phone = optionalPhone();
const url = webAddress(2_000);

/** The longest answer that is kept under a name. */
const MAX_KEPT = 2_000;

/** What an answer is kept as, or undefined when it is not of that kind. */
const READERS: Record<AnswerKind, (text: string, choices: readonly string[]) => string | undefined> = {
  text: (text) => text.slice(0, MAX_KEPT) || undefined,
  email: (text) => (text !== '' && email.safeParse(text).success ? text : undefined),
  phone: (text) =>
    /\d{3}/.test(text.replace(/\D/g, '')) && phone.safeParse(text).success ? text : undefined,
  number: (text) => {
    const plain = text.normalize('NFKC').replace(/^(-?\d+),(\d+)$/, '$1.$2');
    return /^[-+]?\d{1,15}(\.\d{1,15})?$/.test(plain) ? String(Number(plain)) : undefined;
  },
  url: (text) => {
    // People leave out the scheme.
    const full = /^[a-z][a-z\d+.-]*:/i.test(text) ? text : `https://${text}`;
    return /^https?:\/\/[^\s/]+\.[^\s]/i.test(full) && url.safeParse(full).success ? full : undefined;
  },
  choice: (text, choices) => {
    const chosen = fold(text);
    return choices.find((choice) => fold(choice) === chosen);
  },
};

/** Reads the answer to a question (docs/contract.md#agent-api, `validate`). */
export const readAnswer = (
  kind: AnswerKind,
  text: string,
  choices: readonly string[] = [],
): string | undefined => READERS[kind](text.trim(), choices);
