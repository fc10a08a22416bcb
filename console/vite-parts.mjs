/** What every build of the console, and the page of its pieces, have in common; vite's own config file and environment play no part. */
import { fileURLToPath } from 'node:url';
import { NewWidget } from '@parlor/shared';

export const root = fileURLToPath(new URL('.', import.meta.url));

/** Checks input on the server, and asks for `new Function`, which the console's policy refuses. */
export const noZod = {
  name: 'no-zod',
  /** @param {string} id @param {string} [from] */
  resolveId(id, from) {
    if (id === 'zod') throw new Error(`${from} brings zod into the console: import types only`);
  },
};

export const common = {
  root,
  configFile: /** @type {const} */ (false),
  envDir: /** @type {const} */ (false),
  logLevel: /** @type {const} */ ('warn'),
};

/** JSX, as Preact has it. */
export const jsx = { jsx: { runtime: /** @type {const} */ ('automatic'), importSource: 'preact' } };

/** The limits and defaults of a widget's settings, by name, from the schema that the server checks them by. */
export const widgetSettings = {
  name: 'widget-settings',
  /** @param {string} id */
  resolveId: (id) => (id === 'virtual:widget-settings' ? `\0${id}` : undefined),
  /** @param {string} id */
  load(id) {
    if (id !== '\0virtual:widget-settings') return undefined;
    const { $defs } = NewWidget.toJSONSchema({ io: 'input' });
    return `export const LIMITS = ${JSON.stringify($defs?.NewWidget?.properties)};`;
  },
};
