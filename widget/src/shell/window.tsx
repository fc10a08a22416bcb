import { useLayoutEffect, useRef } from 'preact/hooks';
import { needsForm, type Ui } from '../view/ui.ts';
import { Composer } from './composer.tsx';
import { FirstMessages } from './first-messages.tsx';
import { Header } from './header.tsx';

/** A phone held upright: the window fills the screen and is modal. */
export const isSmall = (): boolean => matchMedia('(max-width: 479.98px)').matches;

/** The chat window: a dialog, modal only where it fills the screen. */
export function ChatWindow({ ui }: { ui: Ui }) {
  const element = useRef<HTMLDialogElement>(null);
  const open = ui.open.value;
  const asks = needsForm(ui);
  const small = isSmall();
  const form = ui.modules.form.value;
  const MessageList = ui.thread.value?.MessageList ?? FirstMessages;
  if (asks) ui.modules.need('form');

  /** On a phone the focus on a text field would open the keyboard over the greeting. */
  const first = () =>
    (!small && element.current?.querySelector<HTMLElement>('input, textarea')) ||
    (element.current as HTMLElement);

  // Before the window is painted, and all that changes its layout before it is shown: to give the focus, a browser
  // lays it out, and on an old phone each time takes some twenty milliseconds.
  useLayoutEffect(() => {
    const panel = element.current;
    const view = window.visualViewport;
    if (!panel || !open) return;
    // A keyboard on the screen shrinks the visual viewport alone: the window follows it, and the text field with it.
    const fit = () => {
      if (!view) return;
      const { height, offsetTop } = view;
      const under = innerHeight - height - offsetTop;
      // A page may be zoomed as a whole, and these lengths with it.
      const zoom = ui.host.frame.currentCSSZoom ?? 1;
      for (const [name, length] of Object.entries({ view: height, from: offsetTop, under }))
        panel.style.setProperty(`--${name}`, `${length / zoom}px`);
    };
    fit();
    first().autofocus = ui.takesFocus;
    // A modal dialog takes the focus round inside and makes the page behind it inert; either kind gives the
    // focus back to where it was when it closes.
    if (small) panel.showModal();
    else if (ui.takesFocus) panel.show();
    else panel.open = true;
    const closing = new AbortController();
    for (const type of ['resize', 'scroll']) view?.addEventListener(type, fit, closing);
    return () => {
      closing.abort();
      panel.close();
    };
  }, [open]);

  // For the form, which may come after the window, and where a dialog does not heed what asks for the focus.
  useLayoutEffect(() => {
    if (open && ui.takesFocus) first().focus();
  }, [open, asks, form]);

  /** Escape closes the menu first, then the window; a phone's "back" does the same by `cancel`. */
  const dismiss = (event: Event) => {
    event.preventDefault();
    if (ui.menu.value) ui.menu.value = false;
    else ui.toggle(false);
  };

  return (
    <dialog
      ref={element}
      class="panel float"
      aria-label={ui.host.widget.header_title}
      tabIndex={-1}
      onCancel={dismiss}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.isComposing) dismiss(event);
      }}
    >
      <Header ui={ui} />
      {asks ? (
        form && <form.Form ui={ui} />
      ) : (
        <>
          <MessageList ui={ui} />
          <Composer ui={ui} />
        </>
      )}
    </dialog>
  );
}
