import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Answer, RequestOptions } from './app.ts';
import { bodyFor, credentialFor, type Fixtures, pathFor } from './fixtures.ts';
import { type chooser, hostileText, replaced, textPaths } from './hostile-texts.ts';
import { operations } from './openapi.ts';
import type { RemoteApp } from './remote-app.ts';

/** What somebody may send, once or again. */
export interface Attempt {
  name: string;
  run(): Promise<Answer[]>;
}

/** A graph with a node of each kind that works on texts, and the text in each. */
const graphWith = (text: string) => {
  const upTo = (max: number): string => Array.from(text).slice(0, max).join('') || 'x';
  const branch = (operator: string, value: string) => ({ variable: 'wish', operator, value, next: null });
  const questions = Array.from({ length: 20 }, (_, n) => `${upTo(480)} ${n}`);
  return [
    { id: 's', type: 'start', greeting: upTo(4_000), next: 'ask' },
    { id: 'ask', type: 'question', text: upTo(4_000), save_as: 'wish', next: 'pick' },
    ...[
      {
        id: 'pick',
        type: 'question',
        text: '?',
        validate: 'choice',
        choices: Array(40).fill(upTo(200)),
        next: 'if',
      },
    ],
    {
      id: 'if',
      type: 'condition',
      branches: [
        ...Array.from({ length: 10 }, () => branch('equals', upTo(1_000))),
        ...Array.from({ length: 10 }, () => branch('contains', upTo(1_000))),
        branch('matches', '(a?){190}[^a]{3}x'),
      ],
      else: 'url',
    },
    {
      id: 'url',
      type: 'question',
      text: '?',
      validate: 'url',
      on_failure: 'lead',
      max_retries: 0,
      next: 'lead',
    },
    { id: 'lead', type: 'lead', fields: { nickname: upTo(1_000), email: upTo(1_000) }, next: 'faq' },
    { id: 'faq', type: 'faq', entries: [{ questions, answer: upTo(4_000) }], next: 'ask' },
  ];
};

/** A workflow of a graph, and a conversation with it in which the text is said again and again. */
export const conversation =
  ({ request }: RemoteApp, { token }: Fixtures, nodes: object[], said: string) =>
  async (): Promise<Answer[]> => {
    const made = await request('POST', '/api/v1/workflows/', {
      token,
      body: { name: 'Fuzzed', is_published: true, nodes },
    });
    if (made.status !== 201) return [made];
    const as = { headers: { 'x-api-key': made.json.public_key } };
    const started = await request('POST', '/api/v1/public/conversations/start', {
      ...as,
      body: { metadata: { a: 'x' } },
    });
    const answers = [made, started];
    const path = `/api/v1/public/conversations/${started.json?.conversationId}/messages`;
    for (let turn = 0; turn < 6; turn++)
      answers.push(await request('POST', path, { ...as, body: { message: said } }));
    await request('DELETE', `/api/v1/workflows/${made.json.uuid}/`, { token });
    return answers;
  };

export const LONGEST_MESSAGE = '😀'.repeat(10_000);
const MARKS = `a${'\u0315\u0300'.repeat(64_500)}`;

const IDEOGRAPHS = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0x4e00 + 7 * n)).join('');

/** What members look for, and messages of visitors that are costly to compare with it. */
export const SEARCHES: Record<string, { q: string; body: string }> = {
  'a letter that is a word 5 000 times': { q: 'q', body: 'q '.repeat(5_000).trim() },
  'a letter in one long piece': { q: 'y', body: 'y,'.repeat(5_000) },
  'words that folding makes long': { q: '\u0635\u0644\u0649', body: '\ufdfa'.repeat(10_000) },
  '200 ideographs': { q: IDEOGRAPHS, body: IDEOGRAPHS.repeat(50) },
};
export const SEARCHED_MESSAGES = 25;

/** As long as a body may be, and broken where it ends. */
const BROKEN_JSON: Record<string, string> = Object.fromEntries(
  Object.entries({
    'arrays in arrays': ['', '['],
    'objects in objects': ['', '{"":'],
    objects: ['[', '{},'],
    arrays: ['[', '[],'],
    numbers: ['[', '1,'],
    'numbers with all parts': ['[', '-1.1e+1,'],
    words: ['[', 'null,'],
    strings: ['[', '"",'],
    escapes: ['"', '\\u0041'],
    spaces: ['', ' '],
    'other names in each': ['[', ...Array.from({ length: 14_000 }, (_, n) => `{"a${n.toString(36)}":1},`)],
  }).map(([name, [start = '', ...pieces]]) => {
    const text = pieces.join('');
    return [name, `${start}${text.repeat(Math.floor(262_000 / text.length))}x`];
  }),
);

/** What once stopped a server, or broke it. */
export const knownFaults = (app: RemoteApp, own: Fixtures): Attempt[] => {
  const { token } = own;
  const password = 'a long enough secret';
  const post = (path: string, options: RequestOptions) => async () => [
    await app.request('POST', path, options),
  ];
  const get = (path: string) => async () => [await app.request('GET', path, { token })];
  const br = { 'content-encoding': 'br' };
  const marked = brotliCompressSync(JSON.stringify({ username: MARKS, password }));
  const name = '\ufdfa'.repeat(150);
  const person = { username: name, email: 'a@example.com', password, password2: password };
  const slowTemplate = `{{${' '.repeat(3_990)}`;
  const alike = Array.from({ length: 4 }, (_, entry) => ({
    questions: Array.from({ length: 50 }, (_, question) =>
      Array.from({ length: 48 }, (_, n) => `abcde${((entry * 50 + question) * 48 + n).toString(36)}`).join(
        ' ',
      ),
    ),
    answer: 'x',
  }));
  /** A workflow whose condition has these patterns, many of them at once. */
  const manyAtOnce = (patterns: readonly string[]) => async () => {
    const branches = patterns.map((value) => ({ variable: 'a', operator: 'matches', value, next: null }));
    const nodes = [
      { id: 's', type: 'start', next: 'c1' },
      { id: 'c1', type: 'condition', branches: branches.slice(0, 25), else: 'c2' },
      { id: 'c2', type: 'condition', branches: branches.slice(25), else: null },
    ];
    const body = { name: 'x', nodes };
    const made = await Promise.all(
      Array.from({ length: 20 }, () => app.request('POST', '/api/v1/workflows/', { token, body })),
    );
    for (const { json } of made.filter(({ status }) => status === 201))
      await app.request('DELETE', `/api/v1/workflows/${json.uuid}/`, { token });
    return made;
  };
  const parameters = 'a&'.repeat(7_500);
  const widget = `/api/v1/widgets/?token=${own.ids.widgets}`;
  return [
    { name: 'many parameters', run: get(`/api/v1/rooms/?${parameters}`) },
    { name: 'many parameters of a public route', run: get(`${widget}&${parameters}`) },
    { name: 'many parameters of a page', run: get(`/demo/?${parameters}`) },
    ...['",', '";', 'a/b;q=0;a=";'].map((piece) => ({
      name: `an Accept of ${piece}`,
      run: async () => [
        await app.request('GET', '/nowhere', {
          headers: { accept: `"${piece.repeat(Math.floor(15_900 / piece.length))}` },
        }),
        await app.request('GET', '/nowhere', {
          headers: { accept: `${'"'.repeat(7_951)}${piece.slice(-1).repeat(7_950)}` },
        }),
      ],
    })),
    { name: 'marks, compressed', run: post('/api/v1/auth/api-token', { body: marked, headers: br }) },
    { name: 'marks', run: post('/api/v1/auth/api-token', { body: { username: MARKS, password } }) },
    { name: 'marks with a credential', run: post('/api/v1/leads/', { token, body: { nickname: MARKS } }) },
    { name: 'a name that folding makes long', run: post('/api/v1/auth/register', { body: person }) },
    { name: 'sign-in with it', run: post('/api/v1/auth/api-token', { body: { username: name, password } }) },
    {
      name: 'a keyword that folding makes long',
      run: post('/api/v1/keywords/', { token, body: { keyword: '\ufdfa'.repeat(100) } }),
    },
    ...Object.entries(SEARCHES).map(([name, { q }]) => ({
      name: `a search for ${name}`,
      run: get(`/api/v1/search/?limit=50&q=${encodeURIComponent(q)}`),
    })),
    { name: 'all messages', run: get('/api/v1/messages/?limit=1000') },
    { name: 'all rooms', run: get('/api/v1/rooms/?limit=1000&messages_limit=500') },
    { name: 'one room', run: get(`/api/v1/rooms/${own.room.label}/?messages_limit=500`) },
    {
      name: 'a list of 120 000',
      run: post('/api/v1/workflows/', { token, body: { name: 'x', nodes: Array(120_000).fill(1) } }),
    },
    ...Object.entries(BROKEN_JSON).map(([name, body]) => ({
      name: `broken JSON: ${name}`,
      run: post('/api/v1/auth/register', { body }),
    })),
    {
      name: 'a slow template',
      run: conversation(
        app,
        own,
        [
          { id: 's', type: 'start', greeting: slowTemplate, next: 'm' },
          { id: 'm', type: 'message', text: slowTemplate, next: 'm' },
        ],
        'x',
      ),
    },
    {
      name: 'entries that begin alike',
      run: conversation(
        app,
        own,
        [
          { id: 's', type: 'start', next: 'f' },
          { id: 'f', type: 'faq', entries: alike },
        ],
        Array.from({ length: 250 }, (_, n) => `abcde${n.toString(36)}`).join(' '),
      ),
    },
    {
      name: 'patterns that become long programs, many workflows at once',
      run: manyAtOnce(Array.from({ length: 50 }, (_, n) => `a{${990 - n}}`)),
    },
    {
      name: 'a pattern with wide ranges',
      run: manyAtOnce([`(?i)${'[B-\u{1e942}]'.repeat(82)}`]),
    },
    {
      name: 'what becomes long in a conversation',
      run: conversation(app, own, graphWith('\ufdfa'.repeat(4_000)), '\ufdfa'.repeat(10_000)),
    },
  ];
};

/** Headers that are read by what a caller writes. */
const HEADERS = [
  'accept',
  'accept-encoding',
  'if-match',
  'if-none-match',
  'authorization',
  'idempotency-key',
  'origin',
  'user-agent',
  'x-forwarded-for',
  'last-event-id',
  'parlor-client',
];
const MAX_HEADER_BYTES = 8_000;

/** As much of a text as a header may hold. */
export const inHeader = (text: string): string =>
  text
    .replace(/[^\t\x20-\x7e]/g, '?')
    .slice(0, MAX_HEADER_BYTES)
    .trim();

/** One request or conversation with a hostile text somewhere in it. */
export const makeAttempt = (app: RemoteApp, own: Fixtures, choose: ReturnType<typeof chooser>): Attempt => {
  const { next, pick } = choose;
  const { name, text } = hostileText(choose);
  if (next() < 0.08)
    return {
      name: `a conversation with ${name}`,
      run: conversation(app, own, graphWith(text), Array.from(text).slice(0, 10_000).join('')),
    };
  const operation = pick(operations.filter(({ method, bytes }) => method !== 'DELETE' && bytes.length === 0));
  const options: RequestOptions = credentialFor(operation, own);
  let path = pathFor(operation, own);
  let where = 'the query';
  const body = bodyFor(operation, own);
  const places = [...textPaths(body), ['an unknown field']];
  const short = encodeURIComponent(Buffer.from(text.slice(0, 700)).toString());
  if (body && next() < 0.85) {
    const place = pick(places);
    where = place.join('.');
    const json = JSON.stringify(
      replaced(
        body,
        place,
        next() < 0.1
          ? Array(1 + text.length)
              .fill('x')
              .slice(0, 50_000)
          : text,
      ),
    );
    const [coding, packed] = pick([['gzip', gzipSync], ['br', brotliCompressSync], [], [], []] as const);
    const sent = next() < 0.1 ? json.slice(0, Math.ceil(json.length * next())) : json;
    options.body = packed ? packed(sent) : sent;
    if (coding) options.headers = { ...options.headers, 'content-encoding': coding };
  } else if (next() < 0.3) {
    where = pick(HEADERS);
    options.headers = { ...options.headers, [where]: inHeader(text) };
  } else if (next() < 0.4) {
    where = 'the path';
    path = path.replace(/[^/]+(\/?)$/, `${short}$1`);
  } else {
    path += `?limit=1000&messages_limit=500&${pick([...operation.query, 'x'])}=${short}`;
  }
  const { method } = operation;
  return {
    name: `${method} ${operation.path} with ${name} in ${where}`,
    run: async () => [await app.request(method, path, options)],
  };
};
