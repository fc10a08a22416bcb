/** For tests: `localStorage` as a browser has it: its keys are its own enumerable properties. */
export function fakeStorage(limit = Number.POSITIVE_INFINITY): Storage {
  const area = Object.create({
    getItem: (key: string) => (Object.hasOwn(area, key) ? area[key] : null),
    setItem(key: string, value: string) {
      if (value.length > limit) throw new DOMException('full', 'QuotaExceededError');
      area[key] = String(value);
    },
    removeItem: (key: string) => delete area[key],
  });
  return area;
}
