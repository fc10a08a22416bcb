import type { Logger } from 'pino';
import { v5 } from 'uuid';
import { isoDatetime } from '../../database/document.ts';
import { databaseAway } from '../../database/unavailable.ts';
import type { Relay } from '../../events/relay.ts';
import type { AskedFrom } from '../../http/asked-from.ts';
import { notFound, type ParlorError } from '../../platform/errors.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { Tries } from '../../platform/tries.ts';
import { addedMessage } from '../messages/added-message.ts';
import type { MessageTimes } from '../messages/message-times.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { BotState, PendingTurn, TurnResult } from '../rooms/bot-state.ts';
import type { RoomModel, StoredRoom } from '../rooms/rooms.model.ts';
import { roomUpdated } from '../rooms/rooms.service.ts';
import { type Asked, type BotRoom, type Incoming, type Standing, statusOf } from './asked.ts';
import { type Outcome, runFlow } from './engine.ts';
import { Graph, type GraphCache } from './graph.ts';
import type { Publication } from './publication.ts';
import { type Ask, Turn, type TurnListener } from './turn.ts';
import { TURN_PLACES } from './turn-places.ts';

/** How many messages a turn can say: one a step (docs/contract.md#agent-api). */
const MAX_SAID = 100;

type Begun = Pick<BotState, 'workflow' | 'graph' | 'conversation'>;

/** How a conversation begins. */
interface How {
  variables: [string, string][];
  /** It says its greeting and waits, whatever follows. */
  greetsOnly: boolean;
  askedFrom: AskedFrom;
  /** Looks at what lets it begin once its turn has come, and while a model is asked, as `Standing` does. */
  look?: () => Promise<void>;
  /** Aborted once whoever asked has hung up: what has not begun by then does not begin. */
  gone?: AbortSignal;
}

/** Where a turn belongs; a room that is being made was not created yet. */
type Place = Pick<StoredRoom, '_id' | 'label' | 'account' | 'widget' | 'bot'> &
  Partial<Pick<StoredRoom, 'created_at'>>;

interface Parts {
  rooms: RoomModel;
  messages: MessageModel;
  times: Pick<MessageTimes, 'next'>;
  graphs: GraphCache;
  publication: Publication;
  relay: Pick<Relay, 'announce'>;
  /** The way to the language model for one turn; it knows what was said before that time, and ends with what `wanted` throws. */
  ask(room: Place, before: Date, askedFrom: AskedFrom, wanted: () => Promise<void>): Ask;
  log: Logger;
}

/** The uuid of what a turn makes: derived, so that whoever makes it again makes the same. */
const derived = (turn: string, kind: 'message' | 'lead', index: number): string =>
  v5(`${kind} ${index}`, turn);

/** What the answers of one turn are together (docs/contract.md#agent-api). */
export const joined = (said: readonly { text: string }[]): string =>
  said.map(({ text }) => text).join('\n\n');

/**
 * Takes turns in rooms' conversations. A turn is one write to the room's document by compare-and-set: the new
 * position, the messages with their events, the leads. Turns of one room are taken one after the other.
 */
export class Turns {
  readonly #parts: Parts;
  readonly #mutex = new KeyedMutex({ endsAll: databaseAway });
  readonly #places: FairTurns;

  constructor(parts: Parts, places = TURN_PLACES) {
    this.#parts = parts;
    this.#places = new FairTurns(places, databaseAway);
  }

  /** The state of a conversation that begins: what a workflow says and where it then stands. Nothing is written. */
  begin(room: Place, begun: Begun, how: How): Promise<BotState | undefined> {
    // Who greets has a place, or needs none.
    if (how.greetsOnly) return this.#begin(room, begun, how);
    const begin = async () => {
      await how.look?.();
      return this.#begin(room, begun, how);
    };
    return this.#places.run(room.account, begin, how.gone);
  }

  async #begin(
    room: Place,
    { workflow, graph, conversation }: Begun,
    how: How,
  ): Promise<BotState | undefined> {
    const { graphs, ask } = this.#parts;
    const loaded = await graphs.get(graph);
    const { start } = loaded;
    if (!start) return undefined;
    const turn = new Turn(
      loaded,
      { asked: 0, variables: how.variables },
      {
        account: room.account,
        input: undefined,
        ask: ask(room, new Date(0), how.askedFrom, how.look ?? (async () => undefined)),
        lastSentAt: new Date(0),
        listener: undefined,
      },
    );
    let outcome: Outcome;
    if (how.greetsOnly) {
      turn.say(turn.fill(start.greeting));
      const position = { node: start.next ?? '', asked: 0, variables: how.variables };
      outcome = { position: { status: start.next ? 'active' : 'ended', ...position }, fault: undefined };
    } else outcome = await runFlow(turn, start.id);
    this.#logFault(room, workflow, outcome);
    const before = { workflow, graph, ...(conversation !== undefined && { conversation }), turns: 0 };
    return this.#after(before, room, turn, outcome, { turn: room._id });
  }

  /**
   * Answers a visitor's message.
   * @param prepare gives it once its turn has come: until then nothing of it is in memory that need not be
   * @param how.gone aborted once whoever asked has hung up: a turn that has not begun by then is not taken
   * @throws ParlorError `not_found` when the room, or a message that was in it, is gone or it has no bot; `throttled` when too
   * many wait; whatever `prepare` and `standing` throw; and the reason of `gone`
   */
  take(
    { room, account }: Pick<StoredMessage, 'room' | 'account'>,
    prepare: () => Promise<Asked>,
    { listener, gone }: { listener?: TurnListener | undefined; gone?: AbortSignal | undefined } = {},
  ): Promise<TurnResult> {
    const take = async () => this.#take(room, await prepare(), listener);
    return this.#mutex.run(room, () => this.#places.run(account, take, gone));
  }

  async #take(room: string, { incoming, standing }: Asked, listener?: TurnListener): Promise<TurnResult> {
    for (const tries = new Tries('a turn of a conversation'); ; ) {
      tries.next();
      const current = await this.#parts.rooms.findOne({ _id: room }).lean<StoredRoom>();
      if (!current?.bot) throw notFound();
      if (current.created_at.getTime() !== incoming.roomMadeAt.getTime()) throw notFound();
      await standing.look();
      const place = { ...current, bot: current.bot };
      const known = await this.#recall(place, incoming);
      // What an earlier turn left behind is published before it is written over.
      if (known || current.bot.pending) await this.#parts.publication.publish(place);
      if (known) return known;
      standing.check(place);
      const result = await this.#tryOnce(place, incoming, standing, listener);
      if (result) return result;
    }
  }

  /** The response of a turn that was taken before. */
  async recall(room: BotRoom, turn: string): Promise<TurnResult> {
    const { last, status } = room.bot;
    if (last.turn === turn) return { messages: last.messages, status: last.status };
    const ids = Array.from({ length: MAX_SAID }, (_, index) => derived(turn, 'message', index));
    const said = await this.#parts.messages.find({ _id: { $in: ids } }).lean<StoredMessage[]>();
    said.sort((a, b) => a.sent_at.getTime() - b.sent_at.getTime());
    return { messages: said.map(({ body, sent_at }) => ({ text: body, sent_at })), status };
  }

  async #recall(room: BotRoom, { uuid, sentAt, isRepeatable }: Incoming): Promise<TurnResult | undefined> {
    if (room.bot.last.turn === uuid) return this.recall(room, uuid);
    if (!isRepeatable) return undefined;
    const message = await this.#parts.messages.findOne({ _id: uuid, room: room._id }).lean<StoredMessage>();
    // Erased while it waited, with its room.
    if (sentAt && !message) throw notFound();
    const wasTaken = sentAt ? message?.support_answer !== undefined : message !== null;
    return wasTaken ? this.recall(room, uuid) : undefined;
  }

  /** @returns undefined when another writer came between */
  async #tryOnce(
    room: BotRoom,
    incoming: Incoming,
    standing: Standing,
    listener: TurnListener | undefined,
  ): Promise<TurnResult | undefined> {
    const { rooms, graphs, ask, publication, relay, times } = this.#parts;
    const { bot } = room;
    // What the turn before has said may not be among the messages yet.
    const afterBot = bot.last_sent_at.getTime() + 1;
    const sent_at = incoming.sentAt ?? new Date(Math.max((await times.next(room._id)).getTime(), afterBot));
    const graph = await graphs.get(bot.graph).catch((error: ParlorError) => {
      // Its version is not kept any more: nothing follows, and the conversation ends.
      if (error.code !== 'not_found') throw error;
      return new Graph([]);
    });
    const turn = new Turn(graph, bot, {
      account: room.account,
      input: incoming.text,
      ask: ask(room, sent_at, incoming.askedFrom, () => standing.look()),
      lastSentAt: sent_at > bot.last_sent_at ? sent_at : bot.last_sent_at,
      listener,
      leadsBefore: bot.leads,
    });
    // A room whose bot is switched on again after a hand-off goes on from its beginning.
    const from = bot.node || (bot.status === 'handoff' ? graph.start?.next : undefined);
    const isAnswering = statusOf(room) === 'active' && from;
    const outcome = isAnswering ? await runFlow(turn, from) : { position: bot, fault: undefined };
    this.#logFault(room, bot.workflow, outcome);

    const { pending: _, ...before } = bot;
    const next = this.#after(before, room, turn, outcome, { turn: incoming.uuid, incoming, sent_at });
    const handsOff = isAnswering && next.status === 'handoff';
    const set = { bot: next, ...(handsOff && { is_bot_use: false }) };
    next.last.status = statusOf({ ...room, ...set });
    const events = handsOff ? [roomUpdated(room, { is_bot_use: false })] : [];
    const changed = await rooms
      .findOneAndUpdate(
        {
          _id: room._id,
          created_at: room.created_at,
          'bot.turns': bot.turns,
          is_bot_use: room.is_bot_use,
        } as never,
        {
          $set: set,
          ...(handsOff && { $inc: { version: 1 }, $push: { events: { $each: events } } }),
        } as never,
        { returnDocument: 'after' },
      )
      .lean<StoredRoom>();
    if (!changed) return undefined;
    await publication.publish(changed);
    // Tells operators that a member is wanted (docs/contract.md#agent-api).
    if (handsOff) relay.announce(rooms, { ...changed, events });
    return { messages: next.last.messages, status: next.last.status };
  }

  #logFault({ _id }: Place, workflow: string, { fault }: Outcome): void {
    if (fault) this.#parts.log.error({ room: _id, workflow }, `a turn went wrong: ${fault}`);
  }

  /** The state after a turn, with everything that the turn made in it. */
  #after(
    before: Omit<BotState, 'last' | 'last_sent_at' | 'pending' | keyof Outcome['position']>,
    room: Place,
    turn: Turn,
    { position }: Outcome,
    taken: { turn: string; incoming?: Incoming; sent_at?: Date },
  ): BotState {
    const { said } = turn;
    const text = joined(said);
    const write = (
      fields: Pick<StoredMessage, '_id' | 'body' | 'is_bot' | 'sent_at'>,
      askedFrom: AskedFrom = [],
    ): StoredMessage => {
      const message = { nickname: '', email: '', phone_number: '', is_support_sender: fields.is_bot };
      return addedMessage(room, Object.assign(message, fields), { askedFrom });
    };
    const messages = said.map(({ text: body, sent_at }, index) =>
      write({ _id: derived(taken.turn, 'message', index), body, is_bot: true, sent_at }),
    );
    const { incoming, sent_at = new Date(0) } = taken;
    if (incoming && !incoming.sentAt) {
      const asked = { _id: incoming.uuid, body: incoming.text, is_bot: false, sent_at };
      const message = write(asked, incoming.askedFrom);
      messages.unshift({ ...message, support_answer: text });
    }
    const pending: PendingTurn = {
      turn: taken.turn,
      at: new Date(),
      messages,
      leads: turn.leads.map((fields, index) => ({ _id: derived(taken.turn, 'lead', index), fields })),
      ...(incoming?.sentAt && { answers: { message: incoming.uuid, text } }),
    };
    return {
      ...before,
      ...position,
      turns: before.turns + 1,
      ...(turn.leadCount > 0 && { leads: turn.leadCount }),
      last_sent_at: messages.at(-1)?.sent_at ?? sent_at,
      last: { turn: taken.turn, messages: said, status: position.status },
      pending,
    };
  }
}

/** The response to a caller of the agent API. */
export const presentTurn = ({ messages, status }: TurnResult) => ({
  messages: messages.map(({ text, sent_at }) => ({ message: text, sentAt: isoDatetime(sent_at) })),
  status,
});
