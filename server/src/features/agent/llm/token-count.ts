/** Models count otherwise than the estimate, but not as much below it as this: what an answer took is a quarter at least. */
const LEAST_OF_ESTIMATE = 1 / 4;

/** What an endpoint adds of its own, such as instructions or thoughts, is far less than this times what was booked. */
const MOST_OF_BOOKED = 10;

/**
 * Whether an answer may have taken as many tokens as its endpoint says: a count that can not be would make it free of charge,
 * or use up the day of all accounts (docs/limits.md).
 * @param estimate of the request and its answer together
 * @param booked of the request, and the most that its answer may have
 */
export const isPlausible = (
  said: number,
  { estimate, booked }: { estimate: number; booked: number },
): boolean => said >= estimate * LEAST_OF_ESTIMATE && said <= booked * MOST_OF_BOOKED;
