const SHOWN_AFTER_MS = 1_000;
const SHOWN_EVERY_MS = 200;
const LOGGED_EVERY_MS = 30_000;

/** How far something is that takes a while. */
export interface Progress {
  show(state: string): void;
  /** Takes away what a terminal shows; to be called before anything else is printed, and at the end. */
  end(): void;
}

/** On a terminal one line that changes, from the first second on; in a log, a line every 30 s. */
export const createProgress = (
  out: Pick<typeof process.stderr, 'isTTY' | 'write'> = process.stderr,
): Progress => {
  let last = Date.now() - (out.isTTY ? SHOWN_EVERY_MS - SHOWN_AFTER_MS : 0);
  let isShown = false;
  return {
    show(state) {
      const now = Date.now();
      if (now - last < (out.isTTY ? SHOWN_EVERY_MS : LOGGED_EVERY_MS)) return;
      last = now;
      isShown = out.isTTY;
      out.write(out.isTTY ? `\r\u001b[K${state} …` : `${state} …\n`);
    },
    end() {
      if (isShown) out.write('\r\u001b[K');
      isShown = false;
    },
  };
};

/** One line of result on stdout. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
