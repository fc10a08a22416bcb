/**
 * What a visitor's browser keeps: `localStorage` under one prefix, or memory where a browser refuses it (a
 * full disk, a blocked third party, a private window). Values are JSON.
 */
export interface Store {
  get<T>(key: string): T | undefined;
  set(key: string, value: unknown): void;
  remove(key: string): void;
  /** The keys that start so, without the prefix of the store. */
  keys(start: string): string[];
}

/** Opens the store; `area` is asked for late, since reading `window.localStorage` itself may throw. */
export function openStore(prefix: string, area: () => Storage): Store {
  const memory = new Map<string, string>();
  const attempt = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(area());
    } catch {
      return undefined;
    }
  };
  return {
    get(key) {
      const text = memory.get(key) ?? attempt((storage) => storage.getItem(prefix + key));
      if (text == null) return undefined;
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    },
    set(key, value) {
      const text = JSON.stringify(value);
      const kept = attempt((storage) => {
        storage.setItem(prefix + key, text);
        return true;
      });
      if (kept) memory.delete(key);
      else memory.set(key, text);
    },
    remove(key) {
      memory.delete(key);
      attempt((storage) => storage.removeItem(prefix + key));
    },
    keys(start) {
      const stored = attempt((storage) => Object.keys(storage)) ?? [];
      const own = stored.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
      return [...new Set([...own, ...memory.keys()])].filter((key) => key.startsWith(start));
    },
  };
}
