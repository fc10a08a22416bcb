import { createHash } from 'node:crypto';
import type { AgentConversation } from '@parlor/shared';
import { v5 } from 'uuid';
import { isoDatetime } from '../../database/document.ts';
import type { AskedFrom } from '../../http/asked-from.ts';
import { ParlorError } from '../../platform/errors.ts';
import { newUuid, randomLetters } from '../../platform/ids.ts';
import { latestMessages } from '../messages/latest-messages.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { TurnResult } from '../rooms/bot-state.ts';
import type { RoomModel, StoredRoom } from '../rooms/rooms.model.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import { type BotRoom, type Standing, statusOf } from './asked.ts';
import type { Publication } from './publication.ts';
import type { TurnListener } from './turn.ts';
import { joined, type Turns } from './turns.ts';
import type { StoredWorkflow } from './workflows.model.ts';

const ID = /^conv_[A-Za-z0-9]{24}$/;

/**
 * The label of a conversation's room. Whoever has the conversation's id speaks as its visitor: whoever may read rooms must not
 * have it, and who has it finds the room.
 */
export const roomLabelOf = (conversation: string): string =>
  `agent_${createHash('sha256').update(conversation).digest('hex').slice(0, 24)}`;

/** How much of a conversation its GET shows: the latest messages, in the order sent. */
const SHOWN = 500;

/** A conversation that began, and what it was greeted with. */
export interface Started {
  conversationId: string;
  message: string;
}

/** Conversations of the agent API: rooms that a workflow's key opens (docs/contract.md#agent-api). */
export class ConversationsService {
  readonly #rooms: RoomModel;
  readonly #messages: MessageModel;
  readonly #roomsService: Pick<RoomsService, 'create'>;
  readonly #turns: Turns;
  readonly #publication: Pick<Publication, 'ensure'>;
  readonly #askedFrom: (client: string) => AskedFrom;

  constructor(
    models: { rooms: RoomModel; messages: MessageModel },
    rooms: Pick<RoomsService, 'create'>,
    turns: Turns,
    publication: Pick<Publication, 'ensure'>,
    askedFrom: (client: string) => AskedFrom,
  ) {
    this.#rooms = models.rooms;
    this.#messages = models.messages;
    this.#roomsService = rooms;
    this.#turns = turns;
    this.#publication = publication;
    this.#askedFrom = askedFrom;
  }

  /**
   * Begins a conversation and runs its flow up to the first wait.
   * @param given `client` is the caller's address; `count` is called before the flow runs: what it throws begins none; `now`
   * as for `say`
   * @throws ParlorError `not_found` for a workflow that is not published, `misconfigured` for one without a Start
   */
  async start(
    workflow: StoredWorkflow,
    metadata: [name: string, value: string][],
    {
      client,
      uuid = newUuid(),
      count,
      now,
      gone,
    }: {
      client: string;
      uuid?: string | undefined;
      count?: () => Promise<void>;
      now?: () => Promise<StoredWorkflow>;
      gone?: AbortSignal;
    },
  ): Promise<Started> {
    if (!workflow.is_published) throw notPublished();
    await count?.();
    const conversation = `conv_${randomLetters(24)}`;
    const label = roomLabelOf(conversation);
    const { _id, account, graph } = workflow;
    const begun = { workflow: _id, graph, conversation };
    const bot = await this.#turns
      .begin({ _id: uuid, label, account }, begun, {
        variables: metadata,
        greetsOnly: false,
        askedFrom: this.#askedFrom(client),
        ...(now && { look: () => requirePublished(now) }),
        ...(gone && { gone }),
      })
      .catch((error: ParlorError) => {
        // It was deleted between the look at its key and the look at its graph.
        throw error.code === 'not_found' ? notPublished() : error;
      });
    if (!bot) throw new ParlorError('misconfigured', 'Workflow does not have a Start node configured.');
    const fields = { label, name: '', rating: null, is_bot_use: bot.status !== 'handoff' };
    const room = await this.#roomsService.create(account, fields, uuid, { bot });
    // A retry finds the conversation that was begun before.
    if (room.bot?.conversation === undefined || room.bot.conversation === conversation) {
      return { conversationId: conversation, message: joined(bot.last.messages) };
    }
    const first = await this.#turns.recall(room as BotRoom, uuid);
    return { conversationId: room.bot.conversation, message: joined(first.messages) };
  }

  /**
   * Takes a visitor's message and answers it.
   * @param given `client` is the caller's address; `now` gives the workflow as its key opens it once the message's turn has
   * come, and while a model is asked: what it throws ends the turn; `gone` ends it before it has begun
   * @throws ParlorError `not_found`, `conflict` when it has ended
   */
  async say(
    workflow: StoredWorkflow,
    conversation: string,
    text: string,
    given: {
      client: string;
      uuid: string | undefined;
      now: () => Promise<StoredWorkflow>;
      listener?: TurnListener;
      gone?: AbortSignal;
    },
  ): Promise<TurnResult> {
    const { _id, created_at: roomMadeAt } = await this.#find(workflow, conversation, {
      created_at: 1,
      'bot.workflow': 1,
    });
    const incoming = {
      uuid: turnIn(_id, given.uuid ?? newUuid()),
      text,
      askedFrom: this.#askedFrom(given.client),
      sentAt: undefined,
      roomMadeAt,
      isRepeatable: given.uuid !== undefined,
    };
    const standing: Standing = {
      look: () => requirePublished(given.now),
      check: (room) => {
        if (statusOf(room) === 'ended') throw new ParlorError('conflict', 'Conversation has ended.');
      },
    };
    const asked = async () => ({ incoming, standing });
    return this.#turns.take({ room: _id, account: workflow.account }, asked, given);
  }

  /** The uuid of a conversation's room. @throws ParlorError `not_found` */
  async roomOf(workflow: StoredWorkflow, conversation: string): Promise<string> {
    return (await this.#find(workflow, conversation, { 'bot.workflow': 1 }))._id;
  }

  /** Looks whether a workflow has a conversation, without reading it. @throws ParlorError `not_found` */
  async checkExists(workflow: StoredWorkflow, conversation: string): Promise<void> {
    await this.#find(workflow, conversation, { 'bot.workflow': 1 });
  }

  /** @throws ParlorError `conflict` when it has ended: known before a response is streamed */
  async checkOpen(workflow: StoredWorkflow, conversation: string, turn: string | undefined): Promise<void> {
    const room = await this.#find(workflow, conversation, {
      is_bot_use: 1,
      'bot.workflow': 1,
      'bot.status': 1,
      'bot.last.turn': 1,
    });
    if (statusOf(room) !== 'ended') return;
    const uuid = turn && turnIn(room._id, turn);
    if (room.bot.last.turn === uuid) return;
    const isKnown = uuid !== undefined && (await this.#messages.exists({ _id: uuid, room: room._id }));
    if (!isKnown) throw new ParlorError('conflict', 'Conversation has ended.');
  }

  /**
   * The conversation with its latest messages, those of a turn included that a process stored and did not live to
   * publish: whoever lost the response sees by it whether the turn was done.
   * @throws ParlorError `not_found`, also for a conversation of another workflow
   */
  async get(workflow: StoredWorkflow, conversation: string): Promise<AgentConversation> {
    const room = await this.#find(workflow, conversation);
    await this.#publication.ensure(room);
    const found = await latestMessages(this.#messages, room._id, SHOWN);
    return {
      conversationId: conversation,
      workflowName: workflow.name,
      status: statusOf(room),
      messages: found.map((message) => ({
        message: message.body,
        sender: senderOf(message),
        sentAt: isoDatetime(message.sent_at),
      })),
    };
  }

  async #find(
    workflow: StoredWorkflow,
    conversation: string,
    fields: Record<string, 1> = {},
  ): Promise<BotRoom> {
    if (!workflow.is_published) throw notPublished();
    const room = ID.test(conversation)
      ? await this.#rooms.findOne({ 'bot.conversation': conversation } as never, fields).lean<StoredRoom>()
      : null;
    if (room?.bot?.workflow !== workflow._id) {
      throw new ParlorError('not_found', 'Conversation not found.');
    }
    return room as BotRoom;
  }
}

/**
 * The uuid of a turn and its message. A caller may have chosen what it derives from, so that no turn can be given
 * the uuid of a message that is there already, or will be in another room.
 */
const turnIn = (room: string, given: string): string => v5(given, room);

const requirePublished = async (now: () => Promise<StoredWorkflow>): Promise<void> => {
  if (!(await now()).is_published) throw notPublished();
};

const notPublished = (): ParlorError => new ParlorError('not_found', 'Workflow not found or not published.');

export const senderOf = ({
  is_bot,
  is_support_sender,
}: Pick<StoredMessage, 'is_bot' | 'is_support_sender'>): 'bot' | 'person' | 'visitor' => {
  if (is_bot) return 'bot';
  return is_support_sender ? 'person' : 'visitor';
};
