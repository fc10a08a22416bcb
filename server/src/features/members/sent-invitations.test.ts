import type { AuditEntry } from '@parlor/shared';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import { UniqueNames } from '../accounts/unique-names.ts';

const app = testApp({ REGISTRATION: 'open' });
const { accept, change, invite, linkOf, list, member, name, remove } = testMembers(app);
const noGood = { token: ['This invitation is not good, has run out or was used.'] };

/** An invitation that is repeated under its key. */
const keyed = (token: string, role: string) => {
  const body = { email: `${name()}@example.com`, role };
  const headers = { 'idempotency-key': name() };
  return () => app.request('POST', '/api/v1/members/', { token, headers, body });
};

const open = async (token: string): Promise<string[]> =>
  (await list(token)).flatMap(({ username, role }: { username: string | null; role: string }) =>
    username === null ? [role] : [],
  );

describe('invitations that a member has sent', () => {
  it.each([
    ['owner', 'admin', ['operator', 'admin']],
    ['owner', 'operator', []],
    ['admin', 'operator', []],
    ['admin', 'owner', ['operator', 'admin']],
  ])('of an %s that becomes an %s: %j stay', async (before, after, left) => {
    const { token } = await app.account();
    const sender = await member(token, before);
    const roles = before === 'owner' ? ['owner', 'admin', 'operator'] : ['admin', 'operator'];
    const links = new Map<string, string>();
    for (const role of roles) links.set(role, linkOf(await invite(sender.token, { role })));
    // Those of others stay.
    const other = await invite(token, { role: 'owner' });
    expect((await change(token, sender.uuid, { role: after })).status).toBe(200);
    expect(await open(token)).toEqual(['owner', ...left]);
    for (const [role, link] of links) {
      const { status, json } = await accept(link);
      expect([role, status]).toEqual([role, left.includes(role) ? 201 : 400]);
      if (status === 400) expect(json).toEqual(noGood);
    }
    expect((await accept(linkOf(other))).status).toBe(201);
  });

  it.each(['owner', 'admin'])('are withdrawn when the %s is removed', async (role) => {
    const { token } = await app.account();
    const sender = await member(token, role);
    const link = linkOf(await invite(sender.token));
    const accepted = await accept(linkOf(await invite(sender.token)));
    expect((await remove(token, sender.uuid)).status).toBe(204);
    expect(await open(token)).toEqual([]);
    expect((await accept(link)).json).toEqual(noGood);
    // Who has accepted stays.
    expect((await list(token)).map(({ uuid }: { uuid: string }) => uuid)).toContain(accepted.json.uuid);
  });

  it('are withdrawn when the founder is removed', async () => {
    const { token, id } = await app.account();
    const heir = await member(token, 'owner');
    const link = linkOf(await invite(token));
    expect((await remove(heir.token, id)).status).toBe(204);
    expect((await accept(link)).json).toEqual(noGood);
  });

  it('open nothing where a crash has left one', async () => {
    const { token } = await app.account();
    const sender = await member(token, 'admin');
    const link = linkOf(await invite(sender.token));
    await app.services.models.members.updateOne({ _id: sender.uuid }, { $set: { role: 'operator' } });
    expect((await accept(link)).json).toEqual(noGood);
  });

  it('are not raised beyond what their sender could send, nor while they are accepted', async () => {
    const { token } = await app.account();
    const sender = await member(token, 'admin');
    const invited = await invite(sender.token);
    expect((await change(token, invited.json.uuid, { role: 'admin' })).status).toBe(200);
    const raised = await change(token, invited.json.uuid, { role: 'owner' });
    expect([raised.status, raised.json]).toEqual([
      409,
      { detail: 'Who has sent this invitation may not invite an owner: invite the address anew.' },
    ]);
    // Whatever else may raise one, once its role was looked at.
    const take = UniqueNames.prototype.take;
    const spy = vi.spyOn(UniqueNames.prototype, 'take').mockImplementationOnce(async function (
      this: UniqueNames,
      ...args: unknown[]
    ) {
      const raise = { $set: { role: 'owner' as const }, $inc: { version: 1 } };
      await app.services.models.members.updateOne({ _id: invited.json.uuid }, raise);
      return take.apply(this, args as never);
    } as never);
    onTestFinished(() => spy.mockRestore());
    expect((await accept(linkOf(invited))).json).toEqual(noGood);
  });

  it('are shown again by their key to nobody who could not send them any more', async () => {
    const { token } = await app.account();
    const sender = await member(token, 'owner');
    const [owners, admins] = [keyed(sender.token, 'owner'), keyed(sender.token, 'admin')];
    const first = await owners();
    expect([first.status, (await admins()).status]).toEqual([201, 201]);
    // As a version has made it that did not write down who sent it.
    await app.services.models.members.updateOne({ _id: first.json.uuid }, { $unset: { invited_by: 1 } });
    expect((await change(token, sender.uuid, { role: 'admin' })).status).toBe(200);
    const again = await owners();
    expect([again.status, again.text.includes('invite_url')]).toEqual([403, false]);
    expect((await admins()).json.invite_url).toContain('#token=');
    await change(token, sender.uuid, { role: 'operator' });
    expect((await admins()).status).toBe(403);
    await change(token, sender.uuid, { role: 'admin' });
    expect((await admins()).status).toBe(409);
  });
});

it('leave an entry in the audit trail when they are withdrawn', async () => {
  const { token } = await app.account();
  const sender = await member(token, 'admin');
  const email = `${name()}@example.com`;
  const invited = [await invite(sender.token, { email }), await invite(sender.token, { email })];
  await remove(token, sender.uuid);
  const trail = async (filter: string) =>
    (await app.request('GET', `/api/v1/audit/?${filter}`, { token })).json.map(
      ({ action, actor, object }: AuditEntry) => [action, actor.uuid, object.label],
    );
  // The one before is dead with the second, and that with who has sent it.
  const [first, second] = invited.map(({ json }) => `object=${json.uuid}`);
  const own = ['inviteMember', sender.uuid, email];
  await expect
    .poll(() => trail(first ?? ''), { timeout: 60_000 })
    .toEqual([['withdrawInvitation', sender.uuid, email], own]);
  const [owner] = await list(token);
  await expect
    .poll(() => trail(second ?? ''), { timeout: 60_000 })
    .toEqual([['withdrawInvitation', owner.uuid, email], own]);
});
