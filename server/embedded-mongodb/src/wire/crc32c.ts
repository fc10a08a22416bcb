/** CRC-32C (Castagnoli), the checksum that an OP_MSG may carry: RFC 3720, appendix B.4. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value >>> 0;
});

/** The checksum of these bytes, unsigned. */
export function crc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) {
    sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[i] as number)) & 0xff] as number);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
