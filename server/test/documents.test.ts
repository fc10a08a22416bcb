import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NewWidget } from '@parlor/shared';
import * as limits from '@parlor/shared/limits';
import { describe, expect, it } from 'vitest';
import { LONG_UNITS, SHORT_BROWSER, WITH_ROUNDS } from '../../vitest.tiers.ts';
import { describeConfig } from '../src/platform/config.ts';
import { SETTINGS } from '../src/platform/settings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The anchors that a reader of Markdown makes of its headings. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );

/** Where a link leads to nothing: a file that is not there, or a heading that is not in it. */
const isBroken = (path: string, anchor: string | undefined): boolean =>
  !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(read(path)).has(anchor));

const broken = (
  file: string,
  links: Iterable<readonly [path: string, anchor: string | undefined]>,
): string[] =>
  [...links].flatMap(([path, anchor]) =>
    isBroken(path, anchor) ? [`${file}: ${path}${anchor === undefined ? '' : `#${anchor}`}`] : [],
  );

describe('every link leads somewhere', () => {
  it('from the code to the documents', () => {
    const sources = files.filter((file) => /\.(tsx?|mjs|css)$/.test(file));
    const found = sources.flatMap((file) => {
      const links = [...read(file).matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)];
      return links.map(([, path = '', anchor]) => ({ file, path, anchor }));
    });
    expect(found.length).toBeGreaterThan(100);
    expect(found.flatMap(({ file, path, anchor }) => broken(file, [[path, anchor]]))).toEqual([]);
  });

  it('from document to document', () => {
    const documents = files.filter((file) => file.endsWith('.md'));
    const found = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
        ([, path = '', anchor]) => {
          const target = path === '' ? file : normalize(join(dirname(file), path));
          return { file, path: target, anchor };
        },
      ),
    );
    expect(found.length).toBeGreaterThan(10);
    expect(found.flatMap(({ file, path, anchor }) => broken(file, [[path, anchor]]))).toEqual([]);
  });

  it('from a path in a document to a file or folder of the repository', () => {
    const documents = files.filter((file) => file.endsWith('.md'));
    const found = documents.flatMap((file) =>
      [...read(file).matchAll(/`((?:demo|docs|scripts|server|shared|widget|\.ci)\/[\w./-]*)`/g)].map(
        ([, path = '']) => ({ file, path }),
      ),
    );
    expect(found.length).toBeGreaterThan(100);
    expect(found.flatMap(({ file, path }) => broken(file, [[path, undefined]]))).toEqual([]);
  });
});

it('every test that a tier names is there', () => {
  const named = [...LONG_UNITS, ...WITH_ROUNDS, ...SHORT_BROWSER];
  expect(named.filter((file) => !files.includes(file))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});

describe('every setting is described', () => {
  const widgetSettings = Object.keys(NewWidget.shape);
  const settings = Object.keys(SETTINGS);
  const serverLimits = settings.filter((name) => /^RATE_LIMIT_|_PER_|_RESERVE_|CONNECTIONS/.test(name));

  const missing = (names: readonly string[], file: string, quoted: (name: string) => string): string[] =>
    names.filter((name) => !read(file).includes(quoted(name)));

  it("of a widget, in its README and in the demo's panel", () => {
    expect(missing(widgetSettings, 'widget/README.md', (name) => `\`${name}\``)).toEqual([]);
    // One control has both.
    const ownControl = widgetSettings.filter((name) => !name.endsWith('_align'));
    expect(missing(ownControl, 'demo/site/panel/fields.js', (name) => `'${name}'`)).toEqual([]);
  });

  it('of the server, in the README, SECURITY.md or a document', () => {
    const listed = [...describeConfig({}).matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(listed).toEqual(settings);
    const documents = files.filter((file) => /^(README|SECURITY)\.md$|^docs\/.*\.md$/.test(file));
    // Code in a line: of the name alone, or with a value.
    const named = new Set(
      documents.flatMap((file) =>
        [...read(file).matchAll(/`([A-Z_]+)(?:=[^`\n]*)?`/g)].map(([, name = '']) => name),
      ),
    );
    expect(listed.filter((name) => !named.has(name))).toEqual([]);
  });

  it('that is a limit of the server, in docs/limits.md', () => {
    expect(serverLimits.length).toBeGreaterThan(20);
    expect(missing(serverLimits, 'docs/limits.md', (name) => `\`${name}\``)).toEqual([]);
  });
});

describe('a limit that server and clients know stands in shared/src/limits.ts alone', () => {
  const { CLOSE_CODES, NOT_AUTHENTICATED, ...numbers } = limits;
  const MS = { s: 1_000, d: 86_400_000 };
  const sources = files.filter(
    (file) =>
      /^(server|shared|widget|console)\/src\/.*(?<!\.test)\.tsx?$/.test(file) && !file.endsWith('/limits.ts'),
  );

  /** Where a source says what it should import. */
  const found = (pattern: RegExp): string[] =>
    sources.flatMap((file) => [...read(file).matchAll(pattern)].map(([text]) => `${file}: ${text.trim()}`));

  it('is described in docs/limits.md, with its number', () => {
    const rows = [...read('docs/limits.md').matchAll(/^\| `([A-Z_]+)` \| ([\d ]+?)(?: (s|d))? \|/gm)].map(
      ([, name = '', number = '', unit]) =>
        [name, Number(number.replaceAll(' ', '')) * (unit ? MS[unit as keyof typeof MS] : 1)] as const,
    );
    expect(Object.fromEntries(rows.filter(([name]) => name in numbers))).toEqual(numbers);
    const codes = [...read('docs/realtime.md').matchAll(/^\| (\d{4}) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(CLOSE_CODES));
    expect(codes).toContain(NOT_AUTHENTICATED);
  });

  it('has no second number under its name', () => {
    expect(found(new RegExp(`\\bconst (${Object.keys(limits).join('|')})\\b.*`, 'g'))).toEqual([]);
  });

  it('is no bare number in a field, a schema of a message or a close of a live connection', () => {
    expect(found(/\bmaxLength=\{[^}]*\d[^}]*\}/g).filter((text) => !/[A-Z_]+ \+ 1\}$/.test(text))).toEqual(
      [],
    );
    expect(found(/\bmax(?:Length)?\W{1,3}10_?000\b/g)).toEqual([]);
    expect(found(/^(?! *(?:\/?\*|\/\/)).*\b(?:close\(|code === |= )(?:10\d\d|4\d{3})\b.*/gm)).toEqual([]);
  });
});
