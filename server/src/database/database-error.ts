/** The database could not be reached or opened; the text is one clear line. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}
