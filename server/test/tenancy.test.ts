import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from './app.ts';
import { bodyFor, type Fixtures, makeFixtures, type Operation, operations, pathFor } from './openapi.ts';

/**
 * Every route × method × credential, from the OpenAPI document, so that a new route can't be forgotten: an account
 * sees and touches only its own objects, and another's are a 404 on every method
 * (docs/contract.md#conventions, tenancy).
 */

const app = testApp();
let revoked = '';
/** Objects that nobody but their owner may touch: the tests that are refused share them. */
let kept: Fixtures;
let stranger = '';

beforeAll(async () => {
  kept = await makeFixtures(app);
  stranger = (await app.account()).token;
  const { token, username } = await app.account();
  revoked = token;
  const body = { username, password: 'a long enough secret', reset_token: true };
  await app.request('POST', '/api/v1/auth/api-token', { body });
});

const secured = operations.filter(
  ({ callers }) => !callers.includes('public') && (callers.includes('Token') || callers.includes('Visitor')),
);
const isOpenTo = ({ callers }: Operation, caller: 'Token' | 'Visitor') => callers.includes(caller);

const send = (operation: Operation, objects: Fixtures, as: object, isVisitors = false) => {
  const body = bodyFor(operation, objects, isVisitors);
  return app.request(operation.method, pathFor(operation, objects, isVisitors), {
    ...as,
    ...(body && { body }),
  });
};

const names = secured.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

/** What a stranger must not see of an account's objects. */
const marks = ({ ids, room, visitor }: Fixtures): string[] => [
  ...Object.values(ids),
  room.uuid,
  visitor.room.uuid,
  visitor.lead,
];

describe.each(names)('%s', (_, operation) => {
  const hasIds = operation.path.includes('{');
  const refersToRoom = operation.id === 'createMessage';

  it('serves the owner', async () => {
    const own = await makeFixtures(app);
    const answer = await send(operation, own, { token: own.token });
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
    const own = await makeFixtures(app);
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
