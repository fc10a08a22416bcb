const DAY_MS = 86_400_000;

/** How a day is called above its messages: today, yesterday, else its date in the visitor's language. */
export function dayName(
  at: number,
  now: number,
  tag: string,
  texts: { today: string; yesterday: string },
): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return texts.today;
  if (date.toDateString() === new Date(now - DAY_MS).toDateString()) return texts.yesterday;
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString(tag, { weekday: 'long', day: 'numeric', month: 'long', year });
}
