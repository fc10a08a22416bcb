import { expect, it } from 'vitest';
import { createServices } from '../src/compose.ts';
import { testApp } from './app.ts';

const app = testApp({ EMBEDDED_MONGODB_LISTEN: '/run/parlor/database.sock' });

it('leaves other senders alone on an embedded database that listens, as on a MongoDB', async () => {
  const { config, connection, log, models } = app.services;
  const senders = async () => (await models.webhookSenders.find({}).lean()).map(({ _id }) => _id);
  await expect.poll(senders).toHaveLength(1);
  await models.webhookSenders.insertOne({ _id: 'another', beat: 0 });
  const own = connection.useDb(connection.name, { useCache: false });
  const second = await createServices(config, own, 'a secret key for the tests only, 40 long', log);
  second.sender.start();
  try {
    await expect.poll(senders, { timeout: 60_000 }).toHaveLength(3);
  } finally {
    await second.sender.stop();
  }
});
