import type { Transcript } from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import type { StoredMessage } from '../messages/messages.model.ts';

/** How many messages a notification tells of at most: those up to and with the one that raised it. */
export const TRANSCRIPT_LINES = 20;

/** All names and bodies of a transcript together, and one body alone, as UTF-8. What is older than fits is left out. */
const TRANSCRIPT_BYTES = 2_048;
const LINE_BYTES = 512;

/** What is read of a message in order to tell of it. */
export type Line = Pick<StoredMessage, '_id' | 'nickname' | 'body' | 'is_support_sender' | 'sent_at'>;

/** The fields that make a `Line`, for a query. */
export const LINE_FIELDS = { nickname: 1, body: 1, is_support_sender: 1, sent_at: 1 } as const;

const CUT = '…';

/** At most `bytes` of a text as UTF-8; what was cut ends in an ellipsis. */
const cutToBytes = (text: string, bytes: number): string => {
  if (Buffer.byteLength(text) <= bytes) return text;
  const kept = Buffer.from(text).subarray(0, Math.max(0, bytes - Buffer.byteLength(CUT)));
  // Streaming mode leaves out a character that the cut has torn.
  return new TextDecoder().decode(kept, { stream: true }) + CUT;
};

/** So many of the longest lines fill a transcript, and the one before them does not fit any more. */
export const LINES_THAT_FILL = Math.floor(TRANSCRIPT_BYTES / LINE_BYTES) + 1;

/** What a notification tells of its conversation: the latest lines that fit in 2 kB, in the order sent. */
export const transcriptOf = (lines: readonly Line[]): Transcript[] => fill(lines).told;

/** Whether lines before these would change nothing. */
export const isFull = (lines: readonly Line[]): boolean => fill(lines).isFull;

const fill = (lines: readonly Line[]): { told: Transcript[]; isFull: boolean } => {
  const told: Transcript[] = [];
  let left = TRANSCRIPT_BYTES;
  for (const { nickname, body, is_support_sender, sent_at } of lines.slice(-TRANSCRIPT_LINES).reverse()) {
    const shown = cutToBytes(body, LINE_BYTES);
    left -= Buffer.byteLength(nickname) + Buffer.byteLength(shown);
    if (left < 0) return { told, isFull: true };
    told.unshift({ nickname, body: shown, is_support_sender, sent_at: isoDatetime(sent_at) });
  }
  return { told, isFull: told.length === TRANSCRIPT_LINES };
};
