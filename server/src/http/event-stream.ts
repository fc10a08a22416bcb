/**
 * What follows one event in a stream of server-sent events, for who says by `Last-Event-ID` that it has come (HTML,
 * 9.2.4).
 * @param stream events of which each begins with its `id`
 * @returns the whole stream where no event has that id
 */
export const behindEvent = (stream: string, id: string): string => {
  const line = `id: ${id}\n`;
  const at = stream.startsWith(line) ? 0 : stream.indexOf(`\n\n${line}`);
  return at < 0 ? stream : stream.slice(stream.indexOf('\n\n', at + line.length) + 2);
};
