import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from './app.ts';
import { type Fixtures, isSpoiling, makeFixtures, pathFor } from './fixtures.ts';
import type { Operation } from './openapi.ts';
import { marks, secured, sender } from './tenancy-parts.ts';

/**
 * Every route × method × credential, from the OpenAPI document, so that a new route can't be forgotten: an account
 * sees and touches only its own objects, and another's are a 404 on every method
 * (docs/contract.md#conventions, tenancy).
 */

const app = testApp();
let revoked = '';
/** Objects that nobody but their owner may touch: the tests that are refused share them. */
let kept: Fixtures;
/** Objects of another account, which its owner and its visitor change by turns. */
let written: Fixtures;
let stranger = '';

beforeAll(async () => {
  kept = await makeFixtures(app);
  written = await makeFixtures(app);
  stranger = (await app.account()).token;
  const { token, username } = await app.account();
  revoked = token;
  const body = { username, password: 'a long enough secret', reset_token: true };
  await app.request('POST', '/api/v1/auth/api-token', { body });
});

const isOpenTo = ({ callers }: Operation, caller: 'Token' | 'Visitor') => callers.includes(caller);

const send = sender(app);

const names = secured.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

describe.each(names)('%s', (_, operation) => {
  const hasIds = operation.path.includes('{');
  const refersToRoom = operation.id === 'createMessage';

  it('serves the owner', async () => {
    const shared = operation.method === 'GET' ? kept : written;
    const own = isSpoiling(operation) ? await makeFixtures(app) : shared;
    // The username that the document has for an example is another one, so that no walk deletes by mistake.
    const body = { username: own.username, password: 'a long enough secret' };
    const more = operation.id === 'deleteAccount' ? { body } : {};
    const answer = await send(operation, own, { token: own.token, ...more });
    if (isOpenTo(operation, 'Token')) expect(answer.status).toBeLessThan(300);
    else expect(answer.status).toBe(403);
  });

  it('hides it from another account', async () => {
    const answer = await send(operation, kept, { token: stranger });
    if (!isOpenTo(operation, 'Token')) expect(answer.status).toBe(403);
    else if (hasIds) expect([answer.status, answer.json]).toEqual([404, { detail: 'Not found.' }]);
    // Of a secret of its own nobody has seen a code.
    else if (operation.id === 'confirmTotp')
      expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['code']]);
    else if (operation.id === 'deleteAccount')
      expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['username']]);
    else if (operation.id === 'changeConversations')
      expect(answer.json).toEqual({ changed: [], missing: [kept.room.uuid], refused: [], outdated: [] });
    else if (refersToRoom) expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['room']]);
    else {
      expect(answer.status).toBeLessThan(300);
      for (const mark of marks(kept)) expect(answer.text).not.toContain(mark);
    }
  });

  it('answers 401 to a revoked, malformed, foreign or missing credential', async () => {
    for (const authorization of [
      `Token ${revoked}`,
      'Token not-a-token',
      'Token',
      `Token pk_live_${'x'.repeat(32)}`,
      `Visitor ${kept.token}`,
      `Token ${kept.visitor.token}`,
      `Bearer ${kept.token}`,
      '',
    ]) {
      const answer = await send(operation, kept, { headers: authorization === '' ? {} : { authorization } });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.headers['www-authenticate']).toBe('Token');
    }
  });

  it('serves a visitor in its own conversation, or not at all', async () => {
    if (!isOpenTo(operation, 'Visitor')) {
      const answer = await send(operation, kept, { visitor: kept.visitor.token }, true);
      expect([answer.status, answer.json]).toEqual([
        403,
        { detail: 'You do not have permission to perform this action.' },
      ]);
      return;
    }
    const own = isSpoiling(operation) ? await makeFixtures(app) : written;
    const as = { visitor: own.visitor.token };
    const onOthers = await send(operation, kept, as, true);
    // Where the path names the widget alone, the account has no object of its own to hide.
    const isOneObject = pathFor(operation, own, true) === pathFor(operation, own, false);
    const onAccounts = isOneObject && hasIds ? onOthers : await send(operation, own, as);
    for (const answer of [onOthers, onAccounts]) {
      if (hasIds) expect(answer.status).toBe(404);
      if (refersToRoom) expect(answer.status).toBe(400);
    }
    for (const mark of marks(kept)) if (!refersToRoom) expect(onOthers.text).not.toContain(mark);
    expect((await send(operation, own, as, true)).status).toBeLessThan(300);
  });
});
