/** One address and nothing else: no name, no list, nothing that a header or SMTP would read as more. */
export const isMailAddress = (text: string): boolean => /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()\\]+$/.test(text);
