import type { FieldChange, NewWorkflow, Workflow, WorkflowNode } from '@parlor/shared';
import { duplicateFields } from '../../database/duplicate.ts';
import { findBySecret } from '../../database/find-by-secret.ts';
import { type Page, readPages } from '../../database/pages.ts';
import { type Action, asText } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { differences } from '../../events/change.ts';
import { notFound } from '../../platform/errors.ts';
import { newUuid, randomLetters } from '../../platform/ids.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { Tries } from '../../platform/tries.ts';
import { GraphStore } from './graph-store.ts';
import { modelProblems } from './problems.ts';
import { type GraphModel, PUBLIC_KEY, type StoredWorkflow, type WorkflowModel } from './workflows.model.ts';

const newKey = (): string => `pk_live_${randomLetters(32)}`;

/** A caller's condition on a workflow as it stands; it throws when the condition does not hold. */
type Check = ((current: Workflow) => void) | undefined;

/** Workflows: the graphs that agents run, and the keys that start them (docs/contract.md#agent-api). */
export class WorkflowsService {
  readonly #workflows: WorkflowModel;
  readonly #audited: AuditedCollection<StoredWorkflow>;
  readonly graphs: GraphStore;
  readonly #secrets: Secrets;
  readonly #bySecret: (key: string) => Promise<StoredWorkflow | undefined>;

  readonly #models: ReadonlySet<string> | undefined;

  /** @param models those that llm nodes may name; undefined where that does not matter */
  constructor(
    { workflows, graphs }: { workflows: WorkflowModel; graphs: GraphModel },
    outbox: Outbox,
    secrets: Secrets,
    models?: ReadonlySet<string>,
  ) {
    this.#models = models;
    this.#workflows = workflows;
    this.#audited = new AuditedCollection(workflows, outbox, {
      kind: 'workflow',
      label: ({ name }) => name,
      fields: { name: 'name', is_published: 'is_published', graph: 'nodes', key_sealed: 'public_key' },
      shown: ['name', 'is_published'],
    });
    this.#bySecret = findBySecret<StoredWorkflow>(workflows, 'key_fingerprint', secrets);
    this.graphs = new GraphStore(graphs);
    this.#secrets = secrets;
  }

  async create(
    account: string,
    input: NewWorkflow,
    uuid = newUuid(),
    action?: Action,
  ): Promise<StoredWorkflow> {
    const { name, is_published, nodes, is_room_bot } = input;
    const workflow: StoredWorkflow = {
      _id: uuid,
      account,
      name,
      is_published,
      graph: await this.graphs.store({ _id: uuid, account }, nodes, saverOf(action)),
      ...this.#sealed({ _id: uuid, account }, newKey()),
      created_at: new Date(),
      version: 1,
    };
    const { stored } = await this.#audited.insert(workflow, action);
    return this.#settleRoomBot(stored, is_room_bot);
  }

  list(account: string, page: Page): AsyncGenerator<StoredWorkflow[]> {
    return readPages(this.#workflows, { account }, 'created_at', page);
  }

  /** @returns undefined where there is none, also for another account's workflow */
  async find(account: string, uuid: string): Promise<StoredWorkflow | undefined> {
    return (await this.#workflows.findOne({ _id: uuid, account }).lean<StoredWorkflow>()) ?? undefined;
  }

  /** @throws ParlorError `not_found`, also for another account's workflow. */
  async get(account: string, uuid: string): Promise<StoredWorkflow> {
    const workflow = await this.find(account, uuid);
    if (!workflow) throw notFound();
    return workflow;
  }

  /** The workflow that a public key opens, read from the database each time: a rotation holds at once. */
  async byKey(key: string): Promise<StoredWorkflow | undefined> {
    return PUBLIC_KEY.test(key) ? this.#bySecret(key) : undefined;
  }

  /** The published workflow that answers the account's rooms. */
  async roomBotOf(account: string): Promise<StoredWorkflow | undefined> {
    const workflow = await this.#workflows.findOne({ room_bot_of: account }).lean<StoredWorkflow>();
    return workflow?.is_published ? workflow : undefined;
  }

  async byId(uuid: string): Promise<StoredWorkflow | undefined> {
    return (await this.#workflows.findOne({ _id: uuid }).lean<StoredWorkflow>()) ?? undefined;
  }

  /**
   * Sets the fields of `wanted`. Conversations keep the graph that they began with.
   * @throws ParlorError `not_found`, and whatever `check` throws.
   */
  async change(
    account: string,
    uuid: string,
    wanted: Partial<NewWorkflow>,
    check?: Check,
    action?: Action,
  ): Promise<StoredWorkflow> {
    const { name, is_published, nodes, is_room_bot } = wanted;
    const decide = async (current: StoredWorkflow) => {
      check?.(await this.present(current));
      const graph = nodes && (await this.graphs.store(current, nodes, saverOf(action)));
      const set = differences<StoredWorkflow>(current, {
        ...(name !== undefined && { name }),
        ...(is_published !== undefined && { is_published }),
        ...(graph !== undefined && { graph }),
      });
      // By the same write as all else, so that the trail tells of it once, however often it is begun.
      const { set: botSet, ...bot } = roomBotChange(current, is_room_bot);
      return { set: { ...set, ...botSet }, ...bot };
    };
    const change = () => this.#audited.change({ _id: uuid, account }, decide, action);
    const changed = (await this.#inPlaceOfOthers(account, uuid, change).catch(async (error) => {
      // Who deleted it meanwhile has not seen the graph that was stored for it.
      if (nodes && !(await this.byId(uuid))) await this.graphs.deleteOf(uuid);
      throw error;
    })) as StoredWorkflow;
    if (nodes) await this.graphs.forgetOld(changed);
    return this.#settleRoomBot(changed, is_room_bot);
  }

  /** A new public key; the old one is dead from now on. */
  async rotateKey(account: string, uuid: string, action?: Action): Promise<StoredWorkflow> {
    const own = { _id: uuid, account };
    return this.#audited.change(own, () => ({ set: this.#sealed(own, newKey()) }), action);
  }

  /** Deletes a workflow; its key is dead, and its conversations get no more answers. */
  async delete(account: string, uuid: string, check?: Check, action?: Action): Promise<void> {
    await this.#audited.delete({ _id: uuid, account }, action, async (current) =>
      check?.(await this.present(current)),
    );
    await this.graphs.deleteOf(uuid);
  }

  /** The API's form of a workflow. */
  async present(workflow: StoredWorkflow): Promise<Workflow> {
    const [shown] = await this.presentAll([workflow]);
    if (!shown) throw notFound();
    return shown;
  }

  /** The API's form of workflows, their graphs read together; undefined for one that is gone by now. */
  async presentAll(workflows: readonly StoredWorkflow[]): Promise<(Workflow | undefined)[]> {
    const graphs = await this.graphs.byIds(workflows.map(({ graph }) => graph));
    return workflows.map((workflow) => {
      const graph = graphs.get(workflow.graph);
      if (!graph) return undefined;
      const nodes = JSON.parse(graph.nodes) as WorkflowNode[];
      const place = placeOf(workflow, 'key_sealed');
      // One workflow whose key can't be opened keeps no others from being shown.
      const hasKey = this.#secrets.opens(workflow.key_sealed, place);
      return {
        uuid: workflow._id,
        name: workflow.name,
        is_published: workflow.is_published,
        is_room_bot: workflow.room_bot_of !== undefined,
        nodes,
        public_key: hasKey ? this.#secrets.decrypt(workflow.key_sealed, place) : '',
        // What the server offers may have changed since the graph was stored.
        problems: [
          ...graph.problems,
          ...(hasKey ? [] : [NO_KEY]),
          ...(this.#models ? modelProblems(nodes, this.#models) : []),
        ],
      };
    });
  }

  /**
   * Makes a workflow the one that answers the account's rooms, or not. When `wanted` does not say, the first
   * published one becomes it by itself (docs/contract.md#agent-api).
   */
  async #settleRoomBot(workflow: StoredWorkflow, wanted: boolean | undefined): Promise<StoredWorkflow> {
    const { _id, account, is_published, room_bot_of } = workflow;
    if (room_bot_of !== undefined || !(wanted ?? is_published)) return workflow;
    const become = () => this.#setRoomBot(_id, { $set: { room_bot_of: account } }, workflow);
    // By itself it takes the place of one that is not published.
    const yields = async () => !wanted && (await this.roomBotOf(account)) !== undefined;
    return (await this.#inPlaceOfOthers(account, _id, become, yields)) ?? workflow;
  }

  /**
   * Runs a write that may make a workflow the one that answers the account's rooms, until another one is not that any more.
   * @param yields whether the other one stays it
   * @returns undefined where it does
   */
  async #inPlaceOfOthers<T>(
    account: string,
    _id: string,
    write: () => Promise<T>,
    yields: () => Promise<boolean> = async () => false,
  ): Promise<T | undefined> {
    for (const tries = new Tries('a room bot'); ; ) {
      tries.next();
      try {
        return await write();
      } catch (error) {
        if (!duplicateFields(error)?.includes('room_bot_of')) throw error;
        if (await yields()) return undefined;
        const others = { room_bot_of: account, _id: { $ne: _id } };
        await this.#workflows.updateMany(others, { $unset: { room_bot_of: 1 }, $inc: { version: 1 } });
      }
    }
  }

  async #setRoomBot(_id: string, update: object, before: StoredWorkflow): Promise<StoredWorkflow> {
    const changed = await this.#workflows
      .findOneAndUpdate({ _id }, { ...update, $inc: { version: 1 } }, { returnDocument: 'after' })
      .lean<StoredWorkflow>();
    return changed ?? before;
  }

  #sealed(
    workflow: Pick<StoredWorkflow, '_id' | 'account'>,
    key: string,
  ): Pick<StoredWorkflow, 'key_fingerprint' | 'key_sealed'> {
    return {
      key_fingerprint: this.#secrets.fingerprint('token-fingerprint', key),
      key_sealed: this.#secrets.encrypt(key, placeOf(workflow, 'key_sealed')),
    };
  }
}

/** Among the problems of a workflow whose key can't be shown. */
const NO_KEY = "The public key can't be opened: make a new one.";

/** The member who does it; a program is none. */
const saverOf = (action: Action | undefined): string | undefined =>
  action?.actor.kind === 'member' ? (action.actor.uuid ?? undefined) : undefined;

/** What a change makes of whether a workflow answers the account's rooms. */
const roomBotChange = ({ room_bot_of, account }: StoredWorkflow, wanted: boolean | undefined) => {
  const is = room_bot_of !== undefined;
  if (wanted === undefined || wanted === is) return { set: {}, unset: [], more: [] };
  const more: FieldChange[] = [{ field: 'is_room_bot', from: asText(is), to: asText(wanted) }];
  return wanted
    ? { set: { room_bot_of: account }, unset: [], more }
    : { set: {}, unset: ['room_bot_of'] as const, more };
};
