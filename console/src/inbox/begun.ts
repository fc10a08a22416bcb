import type { Draft } from '@parlor/shared';

/** What was begun to be written of an answer or a note. */
export type Begun = Pick<Draft, 'body' | 'is_note'>;

/** What the server has, with its entity tag for `If-Match`. */
export interface Base extends Begun {
  etag: string;
}

export const NOTHING: Begun = { body: '', is_note: false };

/** Whether the same is written, as the same. */
export const isSame = (one: Begun, other: Begun): boolean =>
  one.body === other.body && (one.body === '' || one.is_note === other.is_note);

/** Whether what was begun is what was sent: it would go out twice. */
export const isSent = (begun: Begun, sent: Begun): boolean =>
  begun.body.trim() === sent.body && begun.is_note === sent.is_note;

/** Both, one below the other: a note where either was to be one. */
export const joined = (above: Begun, below: Begun): Begun => {
  if (above.body.trim() === '') return below;
  return { body: `${above.body}\n\n${below.body}`, is_note: above.is_note || below.is_note };
};
