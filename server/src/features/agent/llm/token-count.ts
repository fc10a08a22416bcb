import { estimateTokenCount } from 'tokenx';

/** Models count otherwise than the estimate, but not as much below it as this: what an answer took is a quarter at least. */
const LEAST_OF_ESTIMATE = 1 / 4;

/** What an endpoint adds of its own, such as instructions or thoughts, is far less than this times what was booked. */
const MOST_OF_BOOKED = 10;

/** Characters of an answer that are estimated together: most of its pieces are parts of words. */
const ESTIMATED_TOGETHER = 16_384;

/**
 * The tokens that one request took, as far as is known: kept while its answer comes, since they are paid for however that ends
 * (docs/limits.md).
 */
export class TokenCount {
  readonly #prompt: number;
  readonly #booked: number;
  #isRefused = false;
  #isFinished = false;
  #said: number | undefined;
  #answer = 0;
  #pieces = '';

  /** @param booked the prompt, and the most that its answer may have */
  constructor({ prompt, booked }: { prompt: number; booked: number }) {
    this.#prompt = prompt;
    this.#booked = booked;
  }

  /** The endpoint has not begun with it. */
  refused(): void {
    this.#isRefused = true;
  }

  /** Of its answer this has come, or of the thoughts before that. */
  came(piece: string): void {
    this.#pieces += piece;
    if (this.#pieces.length < ESTIMATED_TOGETHER) return;
    this.#answer = this.#written;
    this.#pieces = '';
  }

  /** What the endpoint reports as its usage, prompt and answer, unchecked. */
  said(tokens: number): void {
    this.#said = tokens;
  }

  /** Nothing of the answer is to come. */
  finished(): void {
    this.#isFinished = true;
  }

  /** What the endpoint said that can not be: it would be free of charge, or use up the day of all accounts. */
  get impossible(): number | undefined {
    const said = this.#said;
    const canBe =
      said === undefined ||
      (said >= this.#estimate * LEAST_OF_ESTIMATE && said <= this.#booked * MOST_OF_BOOKED);
    return canBe ? undefined : said;
  }

  /** What it took: as the endpoint said where that can be, and else estimated. */
  get total(): number {
    if (this.#isRefused) return 0;
    if (this.#said === undefined || this.impossible !== undefined) return this.#estimate;
    // Some count with each piece: more may have come since.
    return this.#isFinished ? this.#said : Math.max(this.#said, this.#estimate);
  }

  get #estimate(): number {
    return this.#prompt + this.#written;
  }

  get #written(): number {
    return this.#answer + estimateTokenCount(this.#pieces);
  }
}
