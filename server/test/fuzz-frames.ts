import { CLOSE_CODES, ClientFrame } from '@parlor/shared';
import { z } from 'zod';
import type { Answer } from './app.ts';
import type { Attempt } from './fuzz-attempts.ts';
import type { Standing } from './fuzz-standing.ts';
import { type chooser, hostileText } from './hostile-texts.ts';
import { openSocket, type RealtimeClient } from './realtime-client.ts';
import { type JsonSchema, type Resolve, sampleOf, type TextField, textFields } from './text-fields.ts';

/** Who opens a socket. */
const CALLERS = ['Token', 'Visitor', 'Session'] as const;
type SocketCaller = (typeof CALLERS)[number];

/** Longer frames are closed by their size (docs/limits.md); a few are. */
const MAX_FRAME_BYTES = 16_384;
const TOO_LONG = 0.1;
const FITTING_BYTES = 12_000;

const noReferences: Resolve = (reference) => {
  throw new Error(`${reference}: frames have no references`);
};

/** What clients may send, each variant by itself, as the schema says that the server checks frames with. */
const variantsOf = (schema: JsonSchema): JsonSchema[] =>
  schema.oneOf ? schema.oneOf.flatMap(variantsOf) : [schema];

const VARIANTS = variantsOf(z.toJSONSchema(ClientFrame, { io: 'input' }) as JsonSchema);

/** A text field of a frame, or no frame at all, sent by somebody. */
export interface FramePlace {
  name: string;
  caller: SocketCaller;
  variant: JsonSchema | undefined;
  field: TextField | undefined;
}

/** Every place of a text in what clients send, for everybody who opens sockets. */
export const framePlaces = (variants: readonly JsonSchema[] = VARIANTS): FramePlace[] =>
  CALLERS.flatMap((caller) => [
    ...variants.flatMap((variant) =>
      textFields(variant, noReferences).map((field) => ({
        name: `a frame: ${field.name}, as ${caller}`,
        caller,
        variant,
        field,
      })),
    ),
    { name: `no frame, as ${caller}`, caller, variant: undefined, field: undefined },
  ]);

/** A frame of that variant about objects that exist. */
const exampleOf = (
  variant: JsonSchema,
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const optional = Object.entries(variant.properties ?? {}).filter(([name]) => name in known);
  const sample = sampleOf(variant, noReferences) as Record<string, unknown>;
  return { ...sample, ...Object.fromEntries(optional.map(([name]) => [name, known[name]])) };
};

const isAuth = ({ properties = {} }: JsonSchema): boolean => properties.type?.const === 'auth';

/** What a socket says at first. */
const authOf = (caller: SocketCaller, { token, visitor }: Standing): object => ({
  type: 'auth',
  scheme: caller,
  ...(caller === 'Token' && { token }),
  ...(caller === 'Visitor' && { token: visitor.token }),
});

/** The text of a frame with a hostile text, as long as frames may be. */
export const frameText = (
  { caller, variant, field }: FramePlace,
  own: Standing,
  text: string,
  times: number,
): string => {
  if (!variant || !field) return text;
  const isVisitors = caller === 'Visitor';
  const room = isVisitors ? own.visitor.room.uuid : own.room.uuid;
  const message = isVisitors ? own.visitor.message : own.ids.messages;
  const auth = isAuth(variant) && !('const' in (variant.properties?.scheme ?? {})) ? authOf(caller, own) : {};
  const example = { ...exampleOf(variant, { room, message, rooms: [room] }), ...auth };
  return JSON.stringify(field.holding(text, example, times));
};

const answered = (status: number, text: string): Answer => ({ status, headers: {}, json: undefined, text });

/** What the server made of a frame, in the numbers of HTTP: taken, refused, or a fault of its own. */
const outcomeOf = async (client: RealtimeClient, heard: Promise<unknown>): Promise<Answer> => {
  const ended = client.closed.then(({ code, reason }) => {
    const isOwnFault = ![CLOSE_CODES.violation, CLOSE_CODES.not_authenticated, 1009].includes(code);
    return answered(isOwnFault ? 500 : 400, `closed with ${code} ${reason}`);
  });
  const outcome = await Promise.race([
    heard.then(
      () => undefined,
      () => ended,
    ),
    ended,
  ]);
  const fault = client.frames.find(({ type }) => type === 'error');
  return fault ? answered(500, JSON.stringify(fault)) : (outcome ?? answered(200, ''));
};

/** A socket for every place, with a hostile text there; which one is chosen by the seed. */
export const frameAttempts = (url: string, own: Standing, choose: ReturnType<typeof chooser>): Attempt[] =>
  framePlaces().map((place) => {
    const { next } = choose;
    const { name: kind, text: whole } = hostileText(choose);
    const bytes = next() < TOO_LONG ? 4 * MAX_FRAME_BYTES : FITTING_BYTES;
    const fitting = Buffer.from(whole).subarray(0, bytes).toString();
    const text = bytes === FITTING_BYTES ? fitting.slice(0, place.field?.maxLength) : fitting;
    const isMany = next() < 0.5;
    const room = Math.floor(FITTING_BYTES / (Buffer.byteLength(JSON.stringify(text)) + 1));
    const times =
      isMany && place.field?.isInList ? Math.max(1, Math.min(place.field.maxItems ?? room, room)) : 1;
    return {
      name: `${kind} in ${place.name}`,
      run: async () => {
        const headers: Record<string, string> =
          place.caller === 'Session' ? { cookie: own.cookie, origin: url } : {};
        const client = await openSocket(url, { headers });
        const ready = () => client.find(({ type }) => type === 'ready');
        const sent = frameText(place, own, text, times);
        const isFirst = place.variant === undefined ? isMany : isAuth(place.variant);
        let outcome: Answer;
        if (isFirst) {
          client.socket.send(sent);
          outcome = await outcomeOf(client, ready());
        } else {
          client.send(authOf(place.caller, own) as never);
          await ready();
          client.socket.send(sent);
          client.send({ type: 'ping' });
          outcome = await outcomeOf(
            client,
            client.find(({ type }) => type === 'pong'),
          );
        }
        client.socket.terminate();
        return [outcome];
      },
    };
  });
