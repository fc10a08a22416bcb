import type { NodeOf, WorkflowNode } from '@parlor/shared';
import { LRUCache } from 'lru-cache';
import type { CpuBudget } from '../../platform/cpu-budget.ts';
import type { Faq } from './faq/faq.ts';
import { Faqs } from './faqs.ts';
import type { GraphStore } from './graph-store.ts';
import { type Pattern, PatternCache } from './patterns.ts';

/** A version of a workflow, ready to run; what takes time to prepare is made when it is first needed. */
export class Graph {
  readonly start: NodeOf<'start'> | undefined;
  readonly #nodes: ReadonlyMap<string, WorkflowNode>;
  readonly #faqs: Faqs;
  readonly #patterns: PatternCache;
  readonly #id: string | undefined;

  /** @param id by which what is made ready of it is kept; without one it is not */
  constructor(
    nodes: readonly WorkflowNode[],
    { faqs = new Faqs(), patterns = new PatternCache() } = {},
    id?: string,
  ) {
    this.#faqs = faqs;
    this.#patterns = patterns;
    this.#id = id;
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.start = nodes.find((node): node is NodeOf<'start'> => node.type === 'start');
  }

  node(id: string): WorkflowNode | undefined {
    return this.#nodes.get(id);
  }

  /** Asks the entries of a node. */
  askFaq<T>(
    node: NodeOf<'faq'>,
    { account, budget }: { account: string; budget: CpuBudget },
    ask: (faq: Faq) => Promise<T>,
  ): Promise<T> {
    const key = this.#id === undefined ? undefined : `${this.#id} ${node.id}`;
    const use = (work: (faq: Faq) => Promise<T>) => this.#faqs.use(node, key, account, work);
    return budget.enter(use, ask);
  }

  /** The pattern of a condition. @throws Error that says why it can't be compiled: an older server may have stored it */
  pattern(source: string): Pattern {
    return this.#patterns.get(source);
  }
}

/** Size of the cache, in characters of JSON. */
const MAX_CHARACTERS = 2_000_000;

/** Graphs as they were stored; a version never changes, so that one that was read once stays good. */
export class GraphCache {
  readonly #graphs: Pick<GraphStore, 'get'>;
  readonly #kept = new LRUCache<string, Graph>({ maxSize: MAX_CHARACTERS });
  readonly #ready = { faqs: new Faqs(), patterns: new PatternCache() };

  constructor(graphs: Pick<GraphStore, 'get'>) {
    this.#graphs = graphs;
  }

  /** @throws ParlorError `not_found` when its workflow was deleted. */
  async get(id: string): Promise<Graph> {
    const known = this.#kept.get(id);
    if (known) return known;
    const { nodes } = await this.#graphs.get(id);
    const graph = new Graph(JSON.parse(nodes) as WorkflowNode[], this.#ready, id);
    this.#kept.set(id, graph, { size: nodes.length });
    return graph;
  }

  /** One that is not stored. */
  unsaved(nodes: readonly WorkflowNode[]): Graph {
    return new Graph(nodes, { faqs: this.#ready.faqs });
  }
}
