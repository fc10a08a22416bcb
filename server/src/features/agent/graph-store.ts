import { createHash } from 'node:crypto';
import type { WorkflowNode, WorkflowVersion, WorkflowVersionDetail } from '@parlor/shared';
import { v5 } from 'uuid';
import { isoDatetime } from '../../database/document.ts';
import { duplicateFields } from '../../database/duplicate.ts';
import { notFound } from '../../platform/errors.ts';
import { graphProblems } from './problems.ts';
import type { GraphModel, StoredGraph, StoredWorkflow } from './workflows.model.ts';

/** Versions of a workflow's graph that are kept, the current one included. */
const MAX_VERSIONS = 50;

/** What a list of versions shows. */
const SUMMARY = { stored_at: 1, saved_by: 1, node_count: 1 } as const;
type Summary = Pick<StoredGraph, '_id' | keyof typeof SUMMARY>;

const summaryOf = ({ _id, stored_at, saved_by, node_count }: Summary, current: string): WorkflowVersion => ({
  uuid: _id,
  saved_at: stored_at ? isoDatetime(stored_at) : null,
  saved_by: saved_by ?? null,
  node_count: node_count ?? null,
  is_current: _id === current,
});

/** The versions of workflows' graphs (docs/contract.md#agent-api). One that is stored never changes. */
export class GraphStore {
  readonly #graphs: GraphModel;

  constructor(graphs: GraphModel) {
    this.#graphs = graphs;
  }

  /**
   * Stores a graph as the workflow's newest version; the same graph is stored once.
   * @param by the member who saves it; undefined where a program does
   * @returns its id
   */
  async store(
    { _id: workflow, account }: Pick<StoredWorkflow, '_id' | 'account'>,
    nodes: readonly WorkflowNode[],
    by: string | undefined,
  ): Promise<string> {
    const text = JSON.stringify(nodes);
    const _id = v5(createHash('sha256').update(text).digest('hex'), workflow);
    const node_count = nodes.length;
    const graph: StoredGraph = { _id, workflow, nodes: text, problems: graphProblems(nodes), node_count };
    const saved = { account, stored_at: new Date(), saved_by: by ?? null };
    await this.#graphs
      .updateOne({ _id }, { $setOnInsert: graph, $set: saved }, { upsert: true })
      .catch((error) => {
        if (!duplicateFields(error)) throw error;
      });
    return _id;
  }

  /** @throws ParlorError `not_found` when the workflow was deleted. */
  async get(id: string): Promise<StoredGraph> {
    const graph = await this.#graphs.findOne({ _id: id }).lean<StoredGraph>();
    if (!graph) throw notFound();
    return graph;
  }

  /** Those that are there of some graphs, by their ids. */
  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, StoredGraph>> {
    const found = await this.#graphs.find({ _id: { $in: ids } }).lean<StoredGraph[]>();
    return new Map(found.map((graph) => [graph._id, graph]));
  }

  /** The versions of a workflow, newest first, without their graphs. */
  async versions({ _id, graph }: Pick<StoredWorkflow, '_id' | 'graph'>): Promise<WorkflowVersion[]> {
    const found = await this.#graphs
      .find({ workflow: _id }, SUMMARY)
      .sort({ stored_at: -1 })
      .limit(MAX_VERSIONS + 1)
      .lean<Summary[]>();
    return found.map((version) => summaryOf(version, graph));
  }

  /** One version with its graph. @throws ParlorError `not_found`, also for another workflow's version. */
  async version(
    { _id, graph }: Pick<StoredWorkflow, '_id' | 'graph'>,
    version: string,
  ): Promise<WorkflowVersionDetail> {
    const found = await this.get(version);
    if (found.workflow !== _id) throw notFound();
    return {
      ...summaryOf(found, graph),
      nodes: JSON.parse(found.nodes) as WorkflowNode[],
      problems: found.problems,
    };
  }

  /** A conversation with a version that is not kept any more ends with its next message. */
  async forgetOld({ _id, graph }: Pick<StoredWorkflow, '_id' | 'graph'>): Promise<void> {
    const old = await this.#graphs
      .find({ workflow: _id }, { stored_at: 1 })
      .sort({ stored_at: -1 })
      .skip(MAX_VERSIONS)
      .lean<Pick<StoredGraph, '_id' | 'stored_at'>[]>();
    for (const { _id: id, stored_at = null } of old) {
      // One that was stored again since is somebody's newest.
      if (id !== graph) await this.#graphs.deleteOne({ _id: id, stored_at } as never);
    }
  }

  /** Deletes all versions of a workflow. */
  async deleteOf(workflow: string): Promise<void> {
    await this.#graphs.deleteMany({ workflow });
  }
}
