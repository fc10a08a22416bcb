import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();

const preloadsOf = async (path: string): Promise<string[]> => {
  const { status, headers } = await app.request('GET', path);
  expect(status).toBe(200);
  const link = String(headers.link ?? '');
  return Array.from(link.matchAll(/<([^>]+)>; rel=preload; as=fetch; crossorigin/g), ([, address]) =>
    String(address),
  );
};

it('names what a view of the inbox asks for first', async () => {
  const list = async (view: string) => {
    const [session, account, conversations, ...rest] = await preloadsOf(`/console/inbox/${view}`);
    expect([session, account, rest]).toEqual(['/api/v1/auth/session', '/api/v1/account/', []]);
    return conversations;
  };
  expect(await list('mine')).toBe('/api/v1/conversations/?status=open&assignee=me&limit=50');
  expect(await list('done/01a21075-9645-7540-a770-b156aee6d1f3')).toBe(
    '/api/v1/conversations/?status=done&limit=50',
  );
  expect(await list('tag%3A50%25%20%3E%3B%2C%22%0D%0A')).toBe(
    '/api/v1/conversations/?status=open&tag=50%25%20%3E%3B%2C%22%0D%0A&limit=50',
  );
});

it('names nothing where the page does not ask for it at once', async () => {
  // A link that signs in leads to the first one.
  for (const path of [
    '',
    'inbox/',
    'inbox/nothing',
    'inbox/tag:',
    'inbox/%FF',
    'inbox/constructor',
    'leads',
    'invitation',
    `inbox/tag:${'a'.repeat(1_024)}`,
  ]) {
    expect(await preloadsOf(`/console/${path}`)).toEqual([]);
  }
});
