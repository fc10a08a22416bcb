import type { Page, Route } from 'playwright-core';

/**
 * Holds back the next answer to a request of one method.
 * @returns `given` settles when the server has answered; `release` passes the answer on to the page
 */
export const holdAnswer = async (
  page: Page,
  address: string,
  method: string,
): Promise<{ given: Promise<void>; release(): Promise<void> }> => {
  let tell = (): void => undefined;
  let release = (): Promise<void> => Promise.reject(new Error('the server has not answered yet'));
  const given = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let isFirst = true;
  await page.route(address, async (route) => {
    if (!isFirst || route.request().method() !== method) return route.continue();
    isFirst = false;
    const response = await route.fetch();
    release = () => route.fulfill({ response });
    tell();
  });
  return { given, release: () => release() };
};

/** Has the last page of a list read only when it is wanted. @returns says that it is */
export const holdLastPage = async (page: Page, address: string): Promise<() => void> => {
  let want = (): void => undefined;
  const isWanted = new Promise<void>((resolve) => {
    want = resolve;
  });
  await page.route(address, async (route) => {
    const response = await route.fetch();
    if (response.headers().link?.includes('rel="next"')) return route.fulfill({ response });
    await isWanted;
    await route.continue();
  });
  return want;
};

/**
 * Holds back the next request of some methods on its way to the server.
 * @returns `asked` settles when the page has asked; `release` lets it go, and settles when the server has answered
 */
export const holdRequest = async (
  page: Page,
  address: string | RegExp,
  methods: readonly string[],
): Promise<{ asked: Promise<void>; release(): Promise<void> }> => {
  let take = (_: Route): void => undefined;
  const held = new Promise<Route>((resolve) => {
    take = resolve;
  });
  let isFirst = true;
  await page.route(address, async (route) => {
    if (!isFirst || !methods.includes(route.request().method())) return route.fallback();
    isFirst = false;
    take(route);
  });
  const release = async () => {
    const route = await held;
    await route.continue();
    await (await route.request().response())?.finished();
  };
  return { asked: held.then(() => undefined), release };
};
