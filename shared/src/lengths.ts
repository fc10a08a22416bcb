/** The number of Unicode code points; lengths in the contract are counted so. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** How long a message would be that is being written, as the server counts it: in NFC, without the white space around it. */
export const messageLength = (text: string): number => codePoints(text.trim().normalize('NFC'));

/** From this length on whoever writes a message is told how long it has become. */
export const MESSAGE_TOLD_FROM = 9_000;
