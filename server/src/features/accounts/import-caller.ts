/** Who has an account read in. */
export interface ImportCaller {
  /** How far it is. @throws once `stopped` is aborted */
  progress(state: string): void;
  /** Aborted, it ends, and can be done again: what was stored is cleared away then, or by a server. */
  readonly stopped: AbortSignal;
}

/** It tells nobody, and is not stopped. */
export const NOBODY: ImportCaller = { progress: () => undefined, stopped: new AbortController().signal };
