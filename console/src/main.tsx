import './styles/base.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { showAhead } from './inbox/store.ts';
import { viewAt } from './inbox/views.ts';
import { loadLanguage } from './locale/locale.ts';
import { enter } from './session/session.ts';

/** What is drawn before the server has said who is signed in is drawn in vain where it answers within this. */
const BLANK_MS = 150;

const isText = (path: string): boolean => {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
};

// The router takes paths apart that are text; this one is nobody's.
if (!isText(location.pathname)) history.replaceState(null, '', '/console/unknown');
const view = viewAt(location.pathname);
// A link that signs somebody in stands in the hash: there is nothing to read before it has.
if (view && location.hash === '') void showAhead(view);
const isAnswered = Promise.race([enter(), new Promise((resolve) => setTimeout(resolve, BLANK_MS))]);
// No await here: a language's file may import what this file is bundled with, and would wait for it.
void Promise.all([loadLanguage(), isAnswered]).then(() => {
  render(<App />, document.getElementById('app') as HTMLElement);
});
