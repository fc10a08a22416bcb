// The floor that Parlor is measured against: Koa with one driver call, and nothing else.
// node bare-server.mjs MONGODB_URL   prints its address
import Koa from 'koa';
import { koaBody } from 'koa-body';
import mongoose from 'mongoose';

const connection = await mongoose
  .createConnection(process.argv[2] ?? '', {
    dbName: 'parlor_bench',
    writeConcern: { w: 'majority', j: true },
  })
  .asPromise();
const messages = connection.collection('bare_messages');
const leads = connection.collection('bare_leads');
await messages.createIndex({ room: 1, sent_at: -1, _id: -1 });

const lead = { nickname: 'Ada', email: 'ada@example.com', phone_number: '', device: '', referrer: '' };
await leads.insertMany(
  Array.from({ length: 100 }, (_, n) => ({
    _id: /** @type {any} */ (String(n)),
    ...lead,
    from_page_title: '',
    created_at: new Date(),
  })),
);
await messages.insertMany(
  Array.from({ length: 100 }, (_, n) => ({
    _id: /** @type {any} */ (`message-${n}`),
    room: 'room',
    nickname: 'Ada',
    email: 'ada@example.com',
    phone_number: '',
    body: 'Do you deliver on Sundays?',
    is_support_sender: false,
    is_bot: false,
    sent_at: new Date(),
  })),
);

/** @type {Record<string, (ctx: Koa.Context) => Promise<void> | void>} */
const routes = {
  'POST /messages': async (ctx) => {
    const { nickname, email, body } = /** @type {any} */ (ctx.request).body;
    const message = {
      uuid: crypto.randomUUID(),
      nickname,
      email,
      body,
      is_support_sender: false,
      sent_at: new Date(),
    };
    await messages.insertOne({ _id: /** @type {any} */ (message.uuid), ...message });
    ctx.status = 201;
    ctx.body = message;
  },
  'GET /message': async (ctx) => {
    ctx.body = await messages.findOne({ _id: /** @type {any} */ ('message-1') });
  },
  'GET /messages': async (ctx) => {
    ctx.body = await messages.find({ room: 'room' }).sort({ sent_at: -1, _id: -1 }).limit(100).toArray();
  },
  'PATCH /lead': async (ctx) => {
    const { nickname } = /** @type {any} */ (ctx.request).body;
    ctx.body = await leads.findOneAndUpdate(
      { _id: /** @type {any} */ (ctx.query.id) },
      { $set: { nickname } },
      { returnDocument: 'after' },
    );
  },
  'GET /constant': (ctx) => {
    ctx.body = CONSTANT;
  },
};
const CONSTANT = JSON.stringify({ ...lead, text: 'x'.repeat(1_000) });

const app = new Koa();
app.use(koaBody());
app.use((ctx) => routes[`${ctx.method} ${ctx.path}`]?.(ctx));
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`);
});
