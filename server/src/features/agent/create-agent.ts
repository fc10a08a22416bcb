import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Budgets } from '../../database/budgets.ts';
import type { Relay } from '../../events/relay.ts';
import type { Tombstones } from '../../events/tombstones.ts';
import type { AskedFrom } from '../../http/asked-from.ts';
import { createOutgoing } from '../../net/outgoing.ts';
import type { Config } from '../../platform/config.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { LeadsService } from '../leads/leads.service.ts';
import type { MessageTimes } from '../messages/message-times.ts';
import type { MessageModel } from '../messages/messages.model.ts';
import type { Channel } from '../realtime/channel.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import { ConversationsService } from './conversations.service.ts';
import { GraphCache } from './graph.ts';
import { Allowance } from './llm/allowance.ts';
import { MAX_WIRE_BYTES } from './llm/completion.ts';
import { createAsk } from './llm/create-ask.ts';
import { LanguageModel } from './llm/language-model.ts';
import { Publication } from './publication.ts';
import { RoomAnswers } from './room-answers.ts';
import { TestTurns } from './test-turns.ts';
import { Turns } from './turns.ts';
import { graphModel, workflowModel } from './workflows.model.ts';
import { WorkflowsService } from './workflows.service.ts';

/** How long answers that are being made may take at a stop: less than their lease, which is not renewed any more. */
const ANSWERED_WITHIN_MS = 3_000;

/** The collections of the agent. */
export const agentModels = (connection: Connection) => ({
  workflows: workflowModel(connection),
  graphs: graphModel(connection),
});

/** Builds what the agent API and the rooms' bots consist of. Nothing runs by itself before `start`. */
export const createAgent = ({
  models,
  budgets,
  secrets,
  askedFrom,
  rooms,
  times,
  leads,
  relay,
  tombstones,
  channel,
  unfinishedImports,
  config,
  log,
}: {
  models: ReturnType<typeof agentModels> & { rooms: RoomModel; messages: MessageModel };
  budgets: Budgets;
  secrets: Secrets;
  askedFrom: (client: string) => AskedFrom;
  rooms: Pick<RoomsService, 'create'>;
  times: Pick<MessageTimes, 'next'>;
  leads: Pick<LeadsService, 'createByBot'>;
  relay: Pick<Relay, 'announce'>;
  tombstones: Tombstones;
  channel: Pick<Channel, 'pass'>;
  unfinishedImports: Pick<UnfinishedImports, 'without'>;
  config: Config;
  log: Logger;
}) => {
  // Where there is no endpoint, no model is missed.
  const offered = new Set([config.LLM_MODEL, ...config.LLM_MODELS]);
  const workflows = new WorkflowsService(
    models,
    { relay, tombstones },
    secrets,
    config.LLM_URL === '' ? undefined : offered,
  );
  const publication = new Publication({ ...models, leads, relay, unfinishedImports, log });
  const model = new LanguageModel(
    {
      url: config.LLM_URL,
      apiKey: config.LLM_API_KEY,
      model: config.LLM_MODEL,
      models: offered,
      contextTokens: config.LLM_CONTEXT_TOKENS,
      timeout: config.LLM_TIMEOUT,
    },
    createOutgoing({
      allowAnyPort: true,
      allowPrivate: config.LLM_ALLOW_PRIVATE,
      connectTimeout: config.LLM_TIMEOUT,
      maxResponseBytes: MAX_WIRE_BYTES,
    }),
    new Allowance(budgets, {
      conversation: config.LLM_TOKENS_PER_CONVERSATION,
      address: config.LLM_TOKENS_PER_ADDRESS,
      account: config.LLM_TOKENS_PER_DAY,
      server: config.LLM_TOKENS_PER_DAY_TOTAL,
    }),
    log,
  );
  const graphs = new GraphCache(workflows.graphs);
  const turns = new Turns({
    ...models,
    times,
    graphs,
    publication,
    relay,
    ask: createAsk(models, model, ({ _id: room, account, widget }, is_typing) => {
      const data = { sender: 'bot' as const, nickname: '', is_typing };
      channel.pass({ name: 'typing', account, room, widget, data }).catch(() => undefined);
    }),
    log,
  });
  const conversations = new ConversationsService(models, rooms, turns, publication, askedFrom);
  const answers = new RoomAnswers({
    ...models,
    workflows,
    turns,
    publication,
    unfinishedImports,
    askedFrom,
    patience: config.BOT_WAIT_MS,
    log,
  });
  return {
    workflows,
    testTurns: new TestTurns(graphs, model, askedFrom),
    conversations,
    answers,
    publication,
    start(): void {
      publication.start();
      answers.start();
    },
    async stop(): Promise<void> {
      const answered = answers.stop();
      await Promise.race([answered, sleep(ANSWERED_WITHIN_MS, undefined, { ref: false })]);
      // Whoever still waits for it is answered after the next start, or by another process.
      await model.stop();
      await answered;
      await publication.stop();
    },
  };
};
