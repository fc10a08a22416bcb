import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { startConversation } from './realtime-parts.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A WebSocket whose connection the test can cut. */
class CutSocket extends WebSocket {
  static last: CutSocket;
  constructor(url: string) {
    super(url);
    CutSocket.last = this;
  }
}

/** The client that docs/inbox.md shows, as it stands there. */
const clientOf = async (): Promise<any> => {
  const document = await readFile(fileURLToPath(new URL('../../docs/inbox.md', import.meta.url)), 'utf8');
  const [, code = ''] = /```js\n(\/\/ inbox\.mjs\n[\s\S]*?)```/.exec(document) ?? [];
  const file = join(await temporaryFolder(), 'inbox.mjs');
  await writeFile(file, code);
  // Node.js 20 has none of its own.
  globalThis.WebSocket = CutSocket as never;
  return (await import(pathToFileURL(file).href)).Inbox;
};

it('lists, follows live, answers, notes and marks done', async () => {
  const Inbox = await clientOf();
  const { url, token, visitor } = await startConversation();
  const ada = await visitor();
  const linus = await visitor();
  await ada.say('Do you deliver?');
  let changes = 0;
  const inbox = new Inbox(url, token, () => changes++);
  onTestFinished(() => inbox.close());
  const shown = () =>
    inbox.list().map(({ uuid, waiting_on, last_message }: any) => [uuid, waiting_on, last_message?.body]);
  const seen = () => expect.poll(shown, { timeout: 60_000 });
  await seen().toEqual([[ada.room.uuid, 'us', 'Do you deliver?']]);

  await linus.say('Is it heavy?');
  await linus.say('And large?');
  const second = [linus.room.uuid, 'us', 'And large?'];
  await seen().toEqual([[ada.room.uuid, 'us', 'Do you deliver?'], second]);
  await inbox.answer(ada.room.uuid, 'We do.');
  await seen().toEqual([second, [ada.room.uuid, 'visitor', 'We do.']]);

  await inbox.note(ada.room.uuid, 'She asked before.');
  const timeline = await inbox.timeline(ada.room.uuid);
  expect(timeline.map(({ kind, body }: any) => [kind, body])).toEqual(
    expect.arrayContaining([
      ['message', 'Do you deliver?'],
      ['message', 'We do.'],
      ['note', 'She asked before.'],
    ]),
  );
  await inbox.markDone(ada.room.uuid);
  await seen().toEqual([second]);
  await expect.poll(() => inbox.counts, { timeout: 60_000 }).toMatchObject({ open: 1, waiting: 1 });
  expect(changes).toBeGreaterThan(4);

  // A visitor's next message opens it again.
  await ada.say('Thanks!');
  await seen().toEqual([second, [ada.room.uuid, 'us', 'Thanks!']]);
  // What is said while it is away is there once it has come back.
  CutSocket.last.terminate();
  await linus.say('Hello?');
  await seen().toEqual([
    [linus.room.uuid, 'us', 'Hello?'],
    [ada.room.uuid, 'us', 'Thanks!'],
  ]);
});
