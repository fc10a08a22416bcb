import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import type { ActiveMember } from './member.ts';

const app = testApp();
const { list, member } = testMembers(app);

/** As where the database is slow: others may change who is in the account from then on. */
const letTimePass = (): void => {
  const later = Date.now() + 16_000;
  const now = vi.spyOn(Date, 'now').mockImplementation(() => later);
  onTestFinished(() => now.mockRestore());
};

it('of members end where they take longer than others wait for them', async () => {
  const { token, id } = await app.account();
  const other = await member(token, 'owner');
  const { members } = app.services;
  const owner = (await members.get(id, id)) as ActiveMember;
  const late = { code: 'unavailable' };
  await expect(members.remove(owner, other.uuid, letTimePass)).rejects.toMatchObject(late);
  vi.restoreAllMocks();
  const wanted = { role: 'operator' } as const;
  await expect(members.change(owner, other.uuid, wanted, letTimePass)).rejects.toMatchObject(late);
  vi.restoreAllMocks();
  const invited = { email: 'late@example.com', name: '', role: 'operator', widgets: null } as const;
  await expect(
    members.invite(owner, invited, undefined, undefined, async () => letTimePass()),
  ).rejects.toMatchObject(late);
  vi.restoreAllMocks();
  expect((await list(token)).map(({ role }: { role: string }) => role)).toEqual(['owner', 'owner']);
});
