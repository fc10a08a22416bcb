/** What was begun to be written, by conversation; kept until the tab is closed. */
const key = (uuid: string): string => `draft ${uuid}`;

/** Empty where nothing was begun. */
export const draftOf = (uuid: string): string => {
  try {
    return sessionStorage.getItem(key(uuid)) ?? '';
  } catch {
    return '';
  }
};

export const saveDraft = (uuid: string, text: string): void => {
  try {
    if (text === '') sessionStorage.removeItem(key(uuid));
    else sessionStorage.setItem(key(uuid), text);
  } catch {
    // The browser keeps nothing: then the field alone does.
  }
};
