import './styles/base.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.tsx';
import { language } from './locale/locale.ts';
import { enter } from './session/session.ts';

effect(() => {
  document.documentElement.lang = language.value;
});
void enter();
render(<App />, document.getElementById('app') as HTMLElement);
