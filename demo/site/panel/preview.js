// The website in its frame: what the widget on it is told, and what surrounds it.

import { keepFocus } from './focus.js';

const RIGHT_TO_LEFT = ['ar', 'he'];

/** Whether the widget fills the screen when it is open. */
const isSmall = (view) => view.matchMedia('(max-width: 479.98px)').matches;

export class Preview {
  #frame;
  #token = '';
  #tell;
  #isOpen = false;
  #keepFocus;
  #reports = 0;
  #around = { page: '', case: '', width: '', scheme: '', language: 'en' };

  /** @param tell is given what there is to know about the widget, as a text, each time it changes */
  constructor(frame, tell) {
    this.#frame = frame;
    this.#tell = tell;
    this.#keepFocus = keepFocus(frame);
    frame.addEventListener('load', () => this.#loaded());
  }

  /** Begins to show the site, with the widget of this token. */
  start(token) {
    this.#token = token;
    this.#go();
  }

  /** Changes one of the surroundings. */
  surround(name, value) {
    this.#around[name] = value;
    if (name === 'page' || name === 'case') this.#go();
    else if (name === 'width') this.#frame.style.inlineSize = value && `${value}px`;
    else if (name === 'scheme') this.#paint();
    else this.#speak();
  }

  /** Starts the widget again, as it is with the settings that have just been saved. */
  async renew() {
    const view = this.#frame.contentWindow;
    // Browsers keep a widget's settings for half a minute: this one's copy is out of date.
    const { language } = this.#around;
    const asked = [undefined, view.document.documentElement.lang, ...view.navigator.languages];
    await Promise.all(
      [asked, language].map((locale) =>
        view.fetch(`/api/v1/widgets/?token=${this.#token}&locale=${locale}`, { cache: 'reload' }),
      ),
    );
    const wasOpen = this.#isOpen;
    this.#keepFocus();
    view.Parlor?.destroy?.();
    // Once a session: this is a new one, so that a new teaser is seen.
    view.sessionStorage.clear();
    // As on the next page of a visit: what was open opens by itself, and leaves the focus to whoever writes here.
    if (wasOpen) view.sessionStorage.setItem(`parlor.${this.#token}.open`, '1');
    const tag = view.document.createElement('script');
    tag.src = '/widget.js';
    tag.dataset.token = this.#token;
    view.document.head.append(tag);
    // On a small screen it does not: there it is opened, and takes the focus for a moment.
    this.#listen(wasOpen && isSmall(view));
  }

  /** Forgets who visited. */
  forget() {
    for (const key of Object.keys(localStorage)) if (key.startsWith('parlor.')) localStorage.removeItem(key);
    this.renew();
  }

  #go() {
    this.#frame.src = `/demo/${this.#around.case}${this.#around.page}`;
  }

  #loaded() {
    const view = this.#frame.contentWindow;
    this.#reports = 0;
    const count = (reports) => {
      this.#reports += reports.length;
      this.#report();
    };
    // Buffered: also what the page's policy refused before its frame had loaded. Not every browser has it.
    if ('ReportingObserver' in view) {
      new view.ReportingObserver(count, { types: ['csp-violation'], buffered: true }).observe();
    } else {
      view.document.addEventListener('securitypolicyviolation', (report) => count([report]));
    }
    this.#listen(this.#isOpen);
  }

  /** Follows the widget that is in the frame now, or that comes. */
  #listen(open) {
    const view = this.#frame.contentWindow;
    view.Parlor ||= { q: [] };
    const call = (...all) => view.Parlor.q.push(all);
    this.#report('The chat is starting …');
    call('on', 'ready', () => this.#ready());
    call('on', 'error', (why) => this.#report(`The chat is not there: ${why}`));
    for (const event of ['open', 'close']) {
      call('on', event, () => {
        this.#isOpen = event === 'open';
      });
    }
    this.#speak();
    if (view.document.querySelector('parlor-widget')) this.#ready();
    if (open) call('open');
  }

  #ready() {
    this.#paint();
    this.#report('The chat is running.');
  }

  #speak() {
    const view = this.#frame.contentWindow;
    const { language } = this.#around;
    if (!view?.Parlor) return;
    view.document.documentElement.lang = language;
    view.document.documentElement.dir = RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr';
    view.Parlor.q.push(['setLocale', language]);
  }

  /** No page can ask a browser for the other colours: this sets them where the style sheets would. */
  #paint() {
    const { document } = this.#frame.contentWindow;
    const widget = document.querySelector('parlor-widget')?.shadowRoot?.querySelector('.parlor');
    for (const element of [document.documentElement, widget]) {
      if (element) element.style.colorScheme = this.#around.scheme;
    }
  }

  #said = '';
  #report(text = this.#said) {
    this.#said = text;
    this.#tell(`${text} Reports of the page’s policy: ${this.#reports}.`);
  }
}
