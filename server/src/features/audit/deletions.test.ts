import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { auditOf, settled } from '../../../test/audit.ts';
import { newEvent } from '../../events/events.ts';
import { deleteAccount } from '../accounts/account-data.ts';

const app = testApp();
const { call, trail } = auditOf(app);

it('goes with its account, also what is on its way', async () => {
  const { token, id, username } = await app.account();
  await call('POST', '/keywords/', { token, body: { keyword: 'refund' } });
  await settled(app.services);
  const { audit } = app.services.models;
  expect(await audit.countDocuments({ account: id })).toBeGreaterThan(0);
  await deleteAccount(app.services, id);
  expect(await audit.countDocuments({ account: id })).toBe(0);
  const late = newEvent('audit', id, new Date(), {
    action: 'createKeyword',
    actor: {},
    object: {},
    changes: [],
  });
  await app.services.auditTrail.consume([late]);
  expect(await audit.countDocuments({ account: id })).toBe(0);
  expect(username).not.toBe('');
});

describe('the entry of a deletion that a crash interrupted', () => {
  const begin = async (id: string, keyword: { _id: string; created_at: Date }) => {
    const data = {
      actor: { kind: 'cli', uuid: null, name: '', token: null },
      address: null,
      action: 'deleteKeyword',
      object: { kind: 'keyword', uuid: keyword._id, label: 'refund' },
      changes: [],
    };
    await app.services.models.tombstones.create({
      _id: crypto.randomUUID(),
      subject: keyword._id,
      made_at: new Date(),
      deletion: {
        collection: app.services.models.keywords.collection.collectionName,
        holder: keyword._id,
        created_at: keyword.created_at,
        event: newEvent('audit', id, new Date(), data),
      },
    });
  };
  const later = () => new Date(Date.now() + 100_000);

  it.each([true, false])('counts only if the object has gone (%s)', async (hasGone) => {
    const { token, id } = await app.account();
    const { uuid } = (await call('POST', '/keywords/', { token, body: { keyword: 'refund' } })).json;
    const { models, roomDeletion } = app.services;
    const keyword = await models.keywords.findOne({ _id: uuid }).lean();
    await begin(id, keyword as never);
    if (hasGone) await models.keywords.deleteOne({ _id: uuid });
    await settled(app.services);
    expect(await trail(token, '?action=deleteKeyword')).toEqual([]);
    await roomDeletion.resume(later());
    expect(await trail(token, '?action=deleteKeyword')).toHaveLength(hasGone ? 1 : 0);
    await roomDeletion.resume(later());
    await roomDeletion.resume(later());
    expect(await models.tombstones.countDocuments({ subject: uuid })).toBe(0);
    expect(await trail(token, '?action=deleteKeyword')).toHaveLength(hasGone ? 1 : 0);
  });
});
