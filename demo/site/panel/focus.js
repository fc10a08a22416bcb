/** After so long (ms) a widget that starts again has opened its window, if it does. */
const OPENING = 3_000;

/**
 * Leaves the focus to whoever writes in the panel while the widget in the frame starts again: its window, which
 * was open, opens anew and takes the focus, as it does for a visitor who opened it.
 * @returns to be called when the widget starts again
 */
export function keepFocus(frame) {
  let writing;
  let until = 0;
  const leave = () => {
    writing = undefined;
  };
  document.addEventListener('focusin', ({ target }) => {
    writing = target === frame ? undefined : target;
  });
  // Into the frame one gets by Tab and by the pointer.
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Tab') leave();
  });
  frame.addEventListener('load', () => {
    frame.contentWindow.addEventListener('pointerdown', leave, { capture: true });
  });
  addEventListener('blur', () => {
    const left = writing;
    if (!left || performance.now() > until || document.activeElement !== frame) return;
    // Not before the frame has it: what is focused in the middle of that loses it again.
    setTimeout(() => {
      if (writing === left) left.focus({ preventScroll: true });
    });
  });
  return () => {
    until = performance.now() + OPENING;
  };
}
