import './styles/base.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.tsx';
import { language } from './locale/locale.ts';
import { loadSession } from './session/session.ts';

effect(() => {
  document.documentElement.lang = language.value;
});
void loadSession();
render(<App />, document.getElementById('app') as HTMLElement);
