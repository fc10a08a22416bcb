/** The server-sent events of a response. */
export const events = (text: string): [event: string, data: any, id: string][] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('event:'))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      return [field('event'), JSON.parse(field('data')), field('id')];
    });
