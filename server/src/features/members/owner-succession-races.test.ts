import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import { createServices } from '../../compose.ts';
import type { ActiveMember } from './member.ts';

const app = testApp();
const { change, list, me, member, remove, signIn } = testMembers(app);

describe('in the middle of a succession', () => {
  /** Runs this right before the next update of a collection that fits. */
  const before = (
    collection: 'accounts' | 'members',
    fits: (filter: Record<string, unknown>) => boolean,
    run: () => Promise<unknown>,
  ) => {
    type Update = (filter: Record<string, unknown>, ...more: unknown[]) => unknown;
    const model = app.services.models[collection] as unknown as { updateOne: Update };
    const update = model.updateOne.bind(model);
    const spy = vi.spyOn(model, 'updateOne').mockImplementation((filter, ...more) => {
      if (!fits(filter)) return update(filter, ...more);
      spy.mockRestore();
      return run().then(() => update(filter, ...more));
    });
    onTestFinished(() => spy.mockRestore());
  };

  it.each(['leaves', 'becomes an admin'])(
    'the token that the heir has just got goes on: the other %s',
    async (how) => {
      const { token, id } = await app.account();
      const heir = await member(token, 'owner');
      let fresh = '';
      before(
        'accounts',
        (filter) => 'founder' in filter,
        async () => {
          fresh = (await signIn(heir.username, { reset_token: true })).json.token;
        },
      );
      const { status } =
        how === 'leaves' ? await remove(heir.token, id) : await change(heir.token, id, { role: 'admin' });
      expect(status).toBe(how === 'leaves' ? 204 : 200);
      expect((await me(fresh)).json).toMatchObject({ uuid: heir.uuid, role: 'owner' });
      expect((await me(heir.token)).status).toBe(401);
      expect(await app.services.models.members.exists({ _id: heir.uuid })).toBeNull();
    },
  );

  /** Runs this between two reads of whoever looks for somebody: after the account, before the other members. */
  const betweenReads = (run: () => Promise<unknown>) => {
    const { collection } = app.services.models.members as unknown as {
      collection: {
        find(...args: unknown[]): { toArray(): Promise<unknown[]> };
        findOne(...args: unknown[]): Promise<unknown>;
      };
    };
    const [find, findOne] = [collection.find.bind(collection), collection.findOne.bind(collection)];
    let ran: Promise<unknown> | undefined;
    const runOnce = async () => {
      if (ran) return;
      ran = run();
      await ran;
    };
    const spies = [
      vi.spyOn(collection, 'find').mockImplementation((...args) => {
        if (ran) return find(...args);
        return { toArray: () => runOnce().then(() => find(...args).toArray()) };
      }),
      vi.spyOn(collection, 'findOne').mockImplementation((...args) => runOnce().then(() => findOne(...args))),
    ];
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
  };

  interface Heir {
    uuid: string;
    username: string;
    token: string;
    session: string;
  }

  it('the heir is a member all the time', async () => {
    const { memberSessions, members } = app.services;
    const browser = { userAgent: '', brands: '', mobile: '', platform: '' };
    const looks: Record<string, (account: string, heir: Heir) => Promise<boolean>> = {
      'by its token': async (_, { token }) => (await me(token)).status === 200,
      'by its name': async (_, { username }) => (await signIn(username)).status === 200,
      'in a session': async (_, { session }) => (await memberSessions.bySecret(session)) !== undefined,
      'in the list': async (account, { uuid }) =>
        (await members.list(account)).some(({ _id }) => _id === uuid),
    };
    const found: Record<string, boolean> = {};
    for (const [how, look] of Object.entries(looks)) {
      const { token, id } = await app.account();
      const heir = await member(token, 'owner');
      const signedIn = (await members.byUsername(heir.username)) as ActiveMember;
      const session = await memberSessions.begin({ member: signedIn, browser, time_zone: 'UTC' });
      betweenReads(() => change(heir.token, id, { role: 'admin' }));
      found[how] = await look(id, { ...heir, session });
      vi.restoreAllMocks();
    }
    expect(found).toEqual(Object.fromEntries(Object.keys(looks).map((how) => [how, true])));
  });

  it('the token that the founding member has just got goes on: it becomes an admin', async () => {
    const { token, id, username } = await app.account();
    const heir = await member(token, 'owner');
    let fresh = '';
    before(
      'members',
      ({ _id }) => _id === id,
      async () => {
        fresh = (await signIn(username, { reset_token: true })).json.token;
      },
    );
    expect((await change(heir.token, id, { role: 'admin' })).json).toMatchObject({ uuid: id, role: 'admin' });
    expect((await me(fresh)).json).toMatchObject({ uuid: id, role: 'admin' });
    expect((await me(token)).status).toBe(401);
    expect(await list(heir.token)).toHaveLength(2);
  });

  it('the founding member that changes itself at that moment is still there', async () => {
    const { token, id } = await app.account();
    const heir = await member(token, 'owner');
    const rename = () => app.request('PATCH', '/api/v1/members/me/', { token, body: { name: 'Grace' } });
    let renamed: ReturnType<typeof rename> | undefined;
    let goOn = () => {};
    before(
      'accounts',
      (filter) => 'owner_turn' in filter,
      // It goes on until it writes, which it does once the account has its heir.
      () =>
        new Promise<void>((isWriting) => {
          before(
            'accounts',
            (filter) => 'founder' in filter,
            () =>
              new Promise<void>((resolve) => {
                goOn = resolve;
                isWriting();
              }),
          );
          renamed = rename();
        }),
    );
    expect((await change(heir.token, id, { role: 'admin' })).json).toMatchObject({ uuid: id, role: 'admin' });
    goOn();
    expect((await renamed)?.json).toMatchObject({ uuid: id, role: 'admin', name: 'Grace' });
    expect((await me(token)).json).toMatchObject({ uuid: id, role: 'admin', name: 'Grace' });
    expect(await list(heir.token)).toHaveLength(2);
  });

  it.each(['leaves', 'becomes an admin'])(
    'nobody comes back who was removed meanwhile: the other %s',
    async (how) => {
      const { token, id } = await app.account();
      const heir = await member(token, 'owner');
      const third = await member(token, 'owner');
      // This process stops for longer than its leases, and another one removes the heir.
      const { config, connection, log, models } = app.services;
      const other = await createServices(config, connection, 'a secret key for the tests only, 40 long', log);
      before(
        'accounts',
        (filter) => 'founder' in filter,
        async () => {
          await models.registrationClaims.updateMany({}, { $set: { expires_at: new Date(0) } });
          const remover = await other.members.byUsername(third.username);
          await other.members.remove(remover as never, heir.uuid);
        },
      );
      const { status } =
        how === 'leaves' ? await remove(third.token, id) : await change(third.token, id, { role: 'admin' });
      expect(status).toBe(how === 'leaves' ? 204 : 200);
      expect((await me(heir.token)).status).toBe(401);
      expect((await signIn(heir.username)).status).toBe(400);
      expect((await me(third.token)).json).toMatchObject({ uuid: third.uuid, role: 'owner' });
      const left = how === 'leaves' ? [] : [{ uuid: id, role: 'admin' }];
      expect(await list(third.token)).toMatchObject([{ uuid: third.uuid, role: 'owner' }, ...left]);
    },
  );
});
