/** Whether the keyboard has ⌘ where others have Ctrl. */
export const isMac = /Mac|iP(hone|ad|od)/.test(navigator.userAgent);
