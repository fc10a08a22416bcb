import './styles/base.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { loadLanguage } from './locale/locale.ts';
import { enter } from './session/session.ts';

void enter();
// No await here: a language's file may import what this file is bundled with, and would wait for it.
void loadLanguage().then(() => render(<App />, document.getElementById('app') as HTMLElement));
