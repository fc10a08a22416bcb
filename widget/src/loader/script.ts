import { start } from './start.ts';
import { warn } from './warn.ts';

// The entry of /widget.js, a classic script: while it runs, the page says which tag it came from. To a module it
// does not say that.
const tag = (document.currentScript ??
  document.querySelector('script[data-token]')) as HTMLScriptElement | null;
if (tag?.dataset.token) {
  const server = new URL('.', tag.src).href;
  start({
    ...(tag.dataset as { token: string; locale?: string; scheme?: string }),
    server,
    // A browser may remember a failed import by its address, so a further try has another one.
    load: (again) => import(/* @vite-ignore */ `${server}widget/${__CHAT_FILE__}${again}`),
  });
} else warn('needs one data-token');
