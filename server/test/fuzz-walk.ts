import { randomUUID } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Answer, RequestOptions } from './app.ts';
import { bodyFor, isSpoiling, pathFor, withQuery } from './fixtures.ts';
import { type Attempt, inHeader } from './fuzz-attempts.ts';
import { type Place, placesOf } from './fuzz-places.ts';
import { type Spares, type Standing, shownBy } from './fuzz-standing.ts';
import { type chooser, hostileText } from './hostile-texts.ts';
import { BY_OTHERS, type Operation } from './openapi.ts';
import { png, pngChunk } from './pictures.ts';
import type { RemoteApp } from './remote-app.ts';

type Choose = ReturnType<typeof chooser>;

/** A place and what is put into it: by the seed, so that other seeds make other pairs. */
export interface Step {
  place: Place;
  /** What the text is called. */
  kind: string;
  text: string;
  /** How many times it stands there, in a list. */
  times: number;
  coding: 'gzip' | 'br' | undefined;
  /** Whether all else that is a number is as large as it may be. */
  isLarge: boolean;
}

/** So often a text is no longer than the field takes: longer ones come to the checks alone. */
const FITTING = 0.6;
const FILLED = 0.4;
const PACKED = 0.4;

/** As much as a body holds, in bytes. */
const MAX_LIST_BYTES = 200_000;
const MAX_PACKED_LIST = 50_000;
/** As many letters as go into a path or a query: proxies and Node.js take 16 KiB of headers. */
const MAX_IN_URL = 700;

/** The first letters of a text, whole ones. */
const cut = (text: string, letters: number): string =>
  Array.from(text.slice(0, 2 * letters))
    .slice(0, letters)
    .join('');

const maxLengthOf = ({ where }: Place): number | undefined => {
  if (where.kind === 'body') return where.field.maxLength;
  return where.kind === 'parameter' ? where.parameter.schema.maxLength : undefined;
};

const stepAt = (place: Place, choose: Choose): Step => {
  const { next, pick } = choose;
  const hostile = hostileText(choose);
  const maxLength = maxLengthOf(place);
  const text = maxLength !== undefined && next() < FITTING ? cut(hostile.text, maxLength) : hostile.text;
  // Whoever has no credential may send nothing packed: what is not about the body goes as it is.
  const isOfBody = !['parameter', 'unknown parameter'].includes(place.where.kind);
  const coding = next() < PACKED && isOfBody ? pick(['gzip', 'br'] as const) : undefined;
  const fills = next() < FILLED;
  const { where } = place;
  const field = where.kind === 'body' && where.field.isInList ? where.field : undefined;
  const most = Math.floor(MAX_LIST_BYTES / (Buffer.byteLength(text) + 3)) || 1;
  const times = field && fills ? Math.min(field.maxItems ?? MAX_PACKED_LIST, most) : 1;
  return { place, kind: hostile.name, text, times, coding, isLarge: next() < 0.5 };
};

/** What deletes comes last, since others would find nothing behind it: what is refused first, then one caller after another. */
const turnOf = ({ operation, caller, where }: Place): number => {
  if (operation.method !== 'DELETE') return 0;
  return where.kind === 'unknown parameter' ? 2 + operation.callers.indexOf(caller) : 1;
};

/** A step for every place of these operations, in an order of the seed's. */
export const stepsOf = (operations: readonly Operation[], choose: Choose): Step[] => {
  const steps = placesOf(operations).map((place) => ({
    step: stepAt(place, choose),
    turn: turnOf(place),
    at: choose.next(),
  }));
  return steps.sort((a, b) => a.turn - b.turn || a.at - b.at).map(({ step }) => step);
};

/** Whether others would not find its object afterwards, or not be let in: what is replaced stays, but for a room's label. */
const spoils = (operation: Operation): boolean =>
  operation.method === 'PUT' ? operation.id === 'updateRoom' : isSpoiling(operation);

/** A request, as `RemoteApp` sends it. */
interface Asked {
  method: string;
  path: string;
  options: RequestOptions;
}

const bytesWith = ({ text, times, isLarge }: Step): Buffer =>
  isLarge ? png(8, 8, { more: Array(times).fill(pngChunk('tEXt', `Comment\0${text}`)) }) : Buffer.from(text);

/** A webhook goes where no other one does. */
const freed = (body: object | undefined): object | undefined =>
  body && 'target' in body ? { ...body, target: `${body.target}/${randomUUID()}` } : body;

/** The request of a step about these objects. */
export const requestOf = (step: Step, own: Standing, url: string): Asked => {
  const { place, text, times, coding, isLarge } = step;
  const { operation, caller, where } = place;
  const isVisitors = caller === 'Visitor';
  const inUrl = encodeURIComponent(cut(text, MAX_IN_URL));
  const given = where.kind === 'parameter' ? where.parameter : undefined;
  const asked = { ...operation, needs: { ...operation.needs } };
  // What is a place itself would stand there twice.
  if (given?.in === 'query') delete (asked.needs as Record<string, string>)[given.name];
  const marked = given?.in === 'path' ? asked.path.replace(`{${given.name}}`, '~') : asked.path;
  let path = pathFor({ ...asked, path: marked }, own, isVisitors).replace('~', () => inUrl);
  if (given?.in === 'query') path = withQuery(path, `${given.name}=${inUrl}`);
  if (where.kind === 'unknown parameter') path = withQuery(path, `x=${inUrl}`);
  if (isLarge)
    for (const { in: stands, name, schema } of operation.parameters)
      if (stands === 'query' && schema.maximum !== undefined && name !== given?.name && schema.maximum > 5)
        path = withQuery(path, `${name}=${schema.maximum}`);

  // Without a credential it is about one widget.
  if (operation.id === 'retrieveWidget' && caller === 'public' && given?.name !== 'token')
    path = withQuery(path, `token=${own.ids.widgets}`);

  const options = shownBy(caller, own, url);
  if (given?.in === 'header')
    options.headers = { ...options.headers, [given.name.toLowerCase()]: inHeader(text) };
  let body: unknown = freed(bodyFor(operation, own, isVisitors));
  if (where.kind === 'body') body = where.field.holding(text, body, times);
  if (where.kind === 'unknown field') body = { ...(body as object), [isLarge ? text : 'unknown']: text };
  if (where.kind === 'bytes') {
    options.headers = { ...options.headers, 'content-type': where.type };
    body = bytesWith(step);
  }
  if (body !== undefined) {
    if (!Buffer.isBuffer(body)) {
      const json = Buffer.from(JSON.stringify(body));
      options.headers = { 'content-type': 'application/json', ...options.headers };
      body = json;
    }
    if (coding) {
      body = (coding === 'gzip' ? gzipSync : brotliCompressSync)(body as Buffer);
      options.headers = { ...options.headers, 'content-encoding': coding };
    }
    options.body = body;
  }
  return { method: operation.method, path, options };
};

/** What is answered where objects, or who asks, are gone or have lost their rights. */
const GONE = [401, 403, 404];

/** After these others are refused in the same way as what is wrong in itself. */
const USES_UP = ['beginTotp', 'confirmTotp', 'disableTotp', 'acceptInvitation'];

/** An attempt at a place of the document. */
export interface Walked extends Attempt {
  place: Place;
}

/**
 * Sends every step. What only reads is about objects of which there are many, and whatever else about spare ones, made
 * anew where a step before has spoiled them: one that succeeded in deleting, or in changing who is let in.
 */
export const walk = (
  app: RemoteApp,
  url: string,
  steps: readonly Step[],
  { many, spares }: { many: Standing; spares: Spares },
): Walked[] => {
  let isUsedUp = false;
  return steps.map((step) => {
    const { operation, name, where } = step.place;
    // Whatever a hostile text in the path is about was never there, nor is a provider to sign in with.
    const isInPath = where.kind === 'parameter' && where.parameter.in === 'path';
    const isNowhere = isInPath || BY_OTHERS.has(operation.id);
    const reads = operation.method === 'GET';
    const send = (own: Standing): Promise<Answer> => {
      const { method, path, options } = requestOf(step, own, url);
      return app.request(method, path, options);
    };
    return {
      place: step.place,
      name: `${operation.method} ${operation.path}: ${step.kind} in ${name}`,
      run: async () => {
        if (reads) return [await send(many)];
        if (isUsedUp) await spares.renew();
        isUsedUp = false;
        let answer = await send(await spares.current());
        const answers = [answer];
        if (spares.isSpoiled && !isNowhere && GONE.includes(answer.status)) {
          answer = await send(await spares.renew());
          answers.push(answer);
        }
        const isDone = answer.status < 300;
        if (isDone && spoils(operation)) spares.spoil();
        isUsedUp = isDone && USES_UP.includes(operation.id);
        return answers;
      },
    };
  });
};
