import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import type { ActiveMember } from './member.ts';

const app = testApp();
const { accept, change, invite, linkOf, list, member, name, remove } = testMembers(app);

describe('a role', () => {
  it('of admins is below that of owners', async () => {
    const { token, id } = await app.account();
    const admin = await member(token, 'admin');
    const owner = await member(token, 'owner');
    const operator = await member(token, 'operator');
    expect((await invite(admin.token, { role: 'owner' })).status).toBe(403);
    for (const uuid of [id, owner.uuid]) {
      expect((await change(admin.token, uuid, { role: 'operator' })).status).toBe(403);
      expect((await remove(admin.token, uuid)).status).toBe(403);
    }
    expect((await change(admin.token, operator.uuid, { role: 'owner' })).status).toBe(403);
    expect((await change(admin.token, admin.uuid, { role: 'owner' })).status).toBe(403);
    expect((await change(admin.token, operator.uuid, { role: 'admin' })).json.role).toBe('admin');
    expect((await remove(admin.token, operator.uuid)).status).toBe(204);
  });

  it('of admins replaces no invitation of an owner', async () => {
    const { token } = await app.account();
    const admin = await member(token, 'admin');
    const email = `${name()}@example.com`;
    const invited = await invite(token, { email, role: 'owner' });
    expect((await invite(admin.token, { email, role: 'operator' })).status).toBe(403);
    expect((await accept(linkOf(invited))).json).toMatchObject({ role: 'owner' });
  });

  it.each(['removed', 'operator'])(
    'is that of the moment at which something is done: nothing by an admin who is %s then',
    async (become) => {
      const { token, username } = await app.account();
      const { members } = app.services;
      const [admin, friend] = [await member(token, 'admin'), await member(token, 'operator')];
      const owner = (await members.byUsername(username)) as ActiveMember;
      const acting = (await members.byUsername(admin.username)) as ActiveMember;
      // All were let through before the first one is done.
      const done = await Promise.allSettled([
        become === 'removed'
          ? members.remove(owner, admin.uuid)
          : members.change(owner, admin.uuid, { role: 'operator' }),
        members.change(acting, friend.uuid, { role: 'admin' }),
        members.remove(acting, friend.uuid),
        members.invite(acting, { email: `${name()}@example.com`, name: '', role: 'admin', widgets: null }),
      ]);
      const refused = ['rejected', 'rejected', 'rejected'];
      expect(done.map(({ status }) => status)).toEqual(['fulfilled', ...refused]);
      const roles = (await list(token)).map(({ role }: { role: string }) => role);
      expect(roles).toEqual(become === 'removed' ? ['operator', 'owner'] : ['operator', 'operator', 'owner']);
    },
  );

  it('holds from the next request on', async () => {
    const { token } = await app.account();
    const { token: own, uuid } = await member(token, 'admin');
    const webhooks = () => app.request('GET', '/api/v1/webhooks/', { token: own });
    expect((await webhooks()).status).toBe(200);
    await change(token, uuid, { role: 'operator' });
    expect((await webhooks()).status).toBe(403);
  });
});
