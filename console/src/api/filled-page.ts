import { askPage, type Page } from './client.ts';

/** The most empty pages read in a row before the user is asked: each ends after some thousands of objects. */
const MOST_EMPTY = 10;

/**
 * The first page with something, of a list that ends its pages after what it has looked at.
 * @param read asks for one
 * @param isWanted whether it still is
 * @throws ApiError
 */
export const askFilledPage = async <T>(
  path: string,
  read: (path: string) => Promise<Page<T>> = askPage<T>,
  isWanted: () => boolean = () => true,
): Promise<Page<T>> => {
  let page = await read(path);
  for (let empty = 1; empty < MOST_EMPTY && page.items.length === 0; empty++) {
    if (page.next === undefined || !isWanted()) break;
    page = await read(page.next);
  }
  return page;
};
