import '../styles/base.css';
import { render } from 'preact';
import { LocationProvider } from 'preact-iso';
import { loadLanguage } from '../locale/locale.ts';
import { answerPieces } from './answers.ts';
import { PiecesPage } from './pieces-page.tsx';
import { showPretended } from './pretend.ts';

answerPieces();
void loadLanguage().then(() => {
  render(
    <LocationProvider>
      <PiecesPage />
    </LocationProvider>,
    document.getElementById('app') as HTMLElement,
  );
  showPretended();
});
