/** The answer of a cursor, put together from stored bytes without reading them. */

/** Writes `{ cursor: { <batchName>: [documents], id, ns }, ok: 1 }`. */
export function cursorReply(
  batchName: 'firstBatch' | 'nextBatch',
  documents: readonly Buffer[],
  id: bigint,
  ns: string,
): Buffer {
  let arrayBytes = 5;
  for (let i = 0; i < documents.length; i++) {
    arrayBytes += (documents[i] as Buffer).length + 2 + digits(i);
  }
  const nsBytes = Buffer.byteLength(ns);
  const cursorBytes =
    4 + (1 + batchName.length + 1 + arrayBytes) + (1 + 3 + 8) + (1 + 3 + 4 + nsBytes + 1) + 1;
  const total = 4 + (1 + 7 + cursorBytes) + (1 + 3 + 8) + 1;
  const out = Buffer.allocUnsafe(total);
  let at = out.writeInt32LE(total, 0);
  at = name(out, at, 0x03, 'cursor');
  at = out.writeInt32LE(cursorBytes, at);
  at = name(out, at, 0x04, batchName);
  at = out.writeInt32LE(arrayBytes, at);
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i] as Buffer;
    at = name(out, at, 0x03, String(i));
    out.set(document, at);
    at += document.length;
  }
  out[at++] = 0;
  at = name(out, at, 0x12, 'id');
  at = out.writeBigInt64LE(id, at);
  at = name(out, at, 0x02, 'ns');
  at = out.writeInt32LE(nsBytes + 1, at);
  at += out.write(ns, at);
  out[at++] = 0;
  out[at++] = 0;
  at = name(out, at, 0x01, 'ok');
  at = out.writeDoubleLE(1, at);
  out[at++] = 0;
  return out;
}

function name(out: Buffer, at: number, type: number, text: string): number {
  out[at++] = type;
  const end = at + out.write(text, at, 'latin1');
  out[end] = 0;
  return end + 1;
}

function digits(value: number): number {
  return value < 10 ? 1 : value < 100 ? 2 : String(value).length;
}
