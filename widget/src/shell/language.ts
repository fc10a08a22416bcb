import type { Texts } from '../locale/en.ts';
import { ENGLISH, isRightToLeft, loadTexts, pickLocale } from '../locale/locale.ts';
import type { Ui } from '../view/ui.ts';

/** Gives what says everything in a language: the one that is asked for, else the tag's, the page's, the browser's. */
export function createLanguage({ host, translate, tag: shown }: Ui): (tag?: string) => Promise<void> {
  const { widget, frame } = host;
  let turn = 0;
  return async (tag) => {
    const mine = ++turn;
    const [picked, builtIn] = pickLocale([
      tag,
      host.locale,
      document.documentElement.lang,
      ...navigator.languages,
    ]);
    // The owner's unwritten texts are the server's; the loader has asked for those of the first language.
    const settings =
      tag &&
      (await import('./settings.ts')
        .then((module) => module.settingsIn(host, builtIn))
        .catch(() => undefined));
    const say = (texts: Partial<Texts>) => {
      if (mine !== turn) return;
      Object.assign(widget, settings);
      translate(texts);
      shown.value = picked;
      frame.lang = picked;
    };
    // Before its texts are there: those of the owner are, and nothing changes sides later.
    frame.dir = isRightToLeft(builtIn) ? 'rtl' : 'ltr';
    // English at once: said a moment later, all that stands there by then would be laid out anew.
    if (builtIn === 'en') say(ENGLISH);
    else say(await loadTexts(builtIn));
  };
}
