import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { SubjectErasure } from './subject-erasure.ts';

const app = testApp();

/** Members are told of it by then, and whoever reads again what they have would see it for ever. */
it('a conversation is shown no more when its room has gone, before all that was said in it is erased', async () => {
  const { token, widget } = await app.account();
  const begin = async () => {
    const { visitor, room } = await app.session(widget);
    const body = { body: 'Do you deliver?', nickname: 'Ada', room: { uuid: room.uuid } };
    expect((await app.request('POST', '/api/v1/messages/', { visitor, body })).status).toBe(201);
    return room;
  };
  const room = await begin();
  const { uuid: later } = await begin();
  const path = `/api/v1/conversations/${room.uuid}/`;
  const paths = [path, `${path}timeline/`, `${path}draft/`];
  const read = async (one: string) => (await app.request('GET', one, { token })).status;
  const all = () => Promise.all(paths.map(read));
  expect(await all()).toEqual([200, 200, 200]);

  const { erase } = SubjectErasure.prototype;
  let goOn = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const erasing = vi.spyOn(SubjectErasure.prototype, 'erase').mockImplementation(async function (
    this: SubjectErasure,
    ...given
  ) {
    await turn;
    return erase.apply(this, given);
  });
  onTestFinished(() => erasing.mockRestore());
  const deleted = app.request('DELETE', `/api/v1/rooms/${room.label}/`, { token });
  await expect.poll(() => erasing).toHaveBeenCalled();
  expect(await app.services.models.inbox.countDocuments({ _id: room.uuid })).toBe(1);
  expect(await all()).toEqual([404, 404, 404]);
  const listed = (await app.request('GET', '/api/v1/conversations/', { token })).json;
  expect(listed.map(({ uuid }: { uuid: string }) => uuid)).toEqual([later]);
  goOn();
  expect((await deleted).status).toBe(204);
});
