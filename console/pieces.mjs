/** Serves the page of the console's pieces, for development: `npm run pieces`. Nothing of it is in what is built. */
import { pathToFileURL } from 'node:url';
import { createServer } from 'vite';
import { common, jsx, noZod, widgetSettings } from './vite-parts.mjs';

const ENTRY = '/src/main.tsx';

/** The console's own page, with the pieces in place of the console. */
const pieces = {
  name: 'pieces',
  transformIndexHtml: {
    order: /** @type {const} */ ('pre'),
    /** @param {string} html */
    handler(html) {
      if (!html.includes(ENTRY)) throw new Error(`console/index.html has no ${ENTRY} any more`);
      return html.replace(ENTRY, '/src/pieces/main.tsx');
    },
  },
};

/**
 * @param {{ port: number, isWatching: boolean }} options port 0: any that is free; watching: a change is shown at once
 * @returns the address of the page, and what ends it
 */
export const servePieces = async ({ port, isWatching }) => {
  const server = await createServer({
    ...common,
    base: '/console/',
    oxc: jsx,
    plugins: [noZod, widgetSettings, pieces],
    // All of them are ES modules: nothing is bundled beforehand, and nothing is written beside them.
    optimizeDeps: { noDiscovery: true, include: [] },
    server: { host: '127.0.0.1', port, hmr: isWatching, ...(isWatching ? {} : { watch: null }) },
  });
  await server.listen();
  const [address] = server.resolvedUrls?.local ?? [];
  return { url: `${address}#/pieces`, close: () => server.close() };
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { url } = await servePieces({ port: 5173, isWatching: true });
  console.log(url);
}
