/** Stands in for a storage of the browser, which a page without an origin has none of: what it keeps ends with the page. */
export class MemoryStorage {
  [key: string]: unknown;

  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(this[key]) : null;
  }

  setItem(key: string, value: string): void {
    this[key] = `${value}`;
  }

  removeItem(key: string): void {
    delete this[key];
  }
}
