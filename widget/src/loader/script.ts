import { start } from './start.ts';

// The entry of /widget.js, a classic script: only while it runs does the page say which tag it came from.
const tag = document.currentScript as HTMLScriptElement | null;
if (tag) {
  const server = new URL('.', tag.src).href;
  start({
    ...(tag.dataset as { token: string; locale?: string; scheme?: string }),
    server,
    // A browser may remember a failed import by its address, so a further try has another one.
    load: (tries) => import(/* @vite-ignore */ `${server}widget/${__CHAT_FILE__}${tries ? `?${tries}` : ''}`),
  });
}
