/** A piece of a text: plain, or a link. */
export interface Piece {
  text: string;
  href?: string;
}

const ADDRESS = /\b(?:https?:\/\/|mailto:|www\.)[^\s<>"“”«»]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/gi;
const SCHEMES = ['http:', 'https:', 'mailto:'];

/** Finds the web and e-mail addresses in a text. Only http, https and mailto ever become links. */
export function linkify(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimEnd(match[0]);
    const href = hrefOf(address);
    if (!href) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: address, href });
    end = match.index + address.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

const OPENING: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** Punctuation at the end belongs to the sentence, and so does a bracket that was opened before the address. */
function trimEnd(address: string): string {
  let end = address.length;
  /** How many more of a closing bracket there are than of its opening one. */
  const surplus: Record<string, number> = {};
  for (; end; end--) {
    const last = address[end - 1] as string;
    const open = OPENING[last];
    if (open) {
      surplus[last] ??= address.split(last).length - address.split(open).length;
      if (surplus[last]-- <= 0) break;
    } else if (!/[.,:;!?'"…*_~]/.test(last)) break;
  }
  return address.slice(0, end);
}

function hrefOf(address: string): string | undefined {
  const full = /^www\./i.test(address)
    ? `https://${address}`
    : /^(https?:|mailto:)/i.test(address)
      ? address
      : `mailto:${address}`;
  try {
    const url = new URL(full);
    return SCHEMES.includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
