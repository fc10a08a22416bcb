/** `npm run bench -w @parlor/console [-- NAME…]`: what is promised of the console, each figure a ratio inside one run. */
const ALL = ['start', 'inbox', 'timeline'];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !ALL.includes(name));
if (unknown.length > 0)
  throw new Error(`there is no bench ${unknown.join(', ')}: there are ${ALL.join(', ')}`);
for (const name of ALL) if (named.length === 0 || named.includes(name)) await import(`./${name}.mjs`);
