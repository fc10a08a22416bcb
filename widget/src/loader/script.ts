import { warn } from '../platform/warn.ts';
import { start } from './start.ts';

// The entry of /widget.js, a classic script: while it runs, the page says which tag it came from. To a module it
// does not say that.
const tag = (document.currentScript ??
  document.querySelector('script[data-token]')) as HTMLScriptElement | null;
if (tag?.dataset.token) {
  const server = new URL('.', tag.src).href;
  const chat = `${server}widget/${__CHAT_FILE__}`;
  start({
    ...(tag.dataset as { token: string; locale?: string; scheme?: string }),
    server,
    // Imported once it has come: a browser remembers a failed import by its address, and fails it ever after.
    load: async () => (await (await fetch(chat)).text()) && import(/* @vite-ignore */ chat),
  });
} else warn('needs one data-token');
