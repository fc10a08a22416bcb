/** The fields of the unique index that a write ran into, or undefined when the error is another one. */
export const duplicateFields = (error: unknown): string[] | undefined => {
  const { code, keyPattern } = error as { code?: number; keyPattern?: Record<string, unknown> };
  return code === 11_000 ? Object.keys(keyPattern ?? {}) : undefined;
};
