import type { RequestOptions } from './app.ts';
import { type Fixtures, makeFixtures } from './fixtures.ts';
import { LONGEST_MESSAGE } from './fuzz-attempts.ts';
import type { Caller } from './fuzz-places.ts';
import type { RemoteApp } from './remote-app.ts';
import { signInBrowser } from './session-browser.ts';

/** An account's objects, and the browser of its owner. */
export interface Standing extends Fixtures {
  cookie: string;
}

/** An account with a conversation that is as long as answers can show. */
export const withLongConversation = async (app: RemoteApp): Promise<Fixtures> => {
  const own = await makeFixtures(app);
  const { token, room } = own;
  const long = { token, body: { body: LONGEST_MESSAGE, room: { uuid: room.uuid } } };
  for (let n = 0; n < 15; n++)
    await Promise.all(Array.from({ length: 8 }, () => app.request('POST', '/api/v1/messages/', long)));
  return own;
};

/** Signs the owner of these objects in. */
export const standingOf = async (url: string, objects: Fixtures): Promise<Standing> => ({
  ...objects,
  cookie: (await signInBrowser(url, objects.username)).cookie,
});

/** Objects that requests may change and delete: others are there as soon as somebody says that these are spoiled. */
export class Spares {
  readonly #app: RemoteApp;
  readonly #url: string;
  #current: Promise<Standing> | undefined;
  #isSpoiled = false;

  constructor(app: RemoteApp, url: string) {
    this.#app = app;
    this.#url = url;
  }

  get isSpoiled(): boolean {
    return this.#isSpoiled;
  }

  spoil(): void {
    this.#isSpoiled = true;
  }

  current(): Promise<Standing> {
    this.#current ??= this.#make();
    return this.#current;
  }

  /** Makes others. */
  renew(): Promise<Standing> {
    this.#current = undefined;
    return this.current();
  }

  async #make(): Promise<Standing> {
    this.#isSpoiled = false;
    return standingOf(this.#url, await makeFixtures(this.#app));
  }
}

/** What a caller of a kind shows of itself. */
export const shownBy = (caller: Caller, own: Standing, url: string): RequestOptions => {
  switch (caller) {
    case 'Token':
      return { token: own.token };
    case 'Session':
      return { headers: { cookie: own.cookie, origin: url } };
    case 'Visitor':
      return { visitor: own.visitor.token };
    case 'AgentKey':
      return { headers: { 'x-api-key': own.agentKey } };
    default:
      return {};
  }
};
