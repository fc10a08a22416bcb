/** How a day is called above its messages: today, yesterday, else its date in the visitor's language. */
export function dayName(
  at: number,
  now: number,
  tag: string,
  texts: { today: string; yesterday: string },
): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return texts.today;
  const yesterday = new Date(now);
  // Not 24 hours back: where clocks are changed a day has 23 or 25.
  yesterday.setDate(yesterday.getDate() - 1);
  if (date.toDateString() === yesterday.toDateString()) return texts.yesterday;
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString(tag, { weekday: 'long', day: 'numeric', month: 'long', year });
}
