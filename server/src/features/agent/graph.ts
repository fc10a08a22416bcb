import type { NodeOf, WorkflowNode } from '@parlor/shared';
import { LRUCache } from 'lru-cache';
import { loadLaterBy } from '../../platform/load-later.ts';
import type { Faq } from './faq/faq.ts';
import type { GraphStore } from './graph-store.ts';
import { type Pattern, PatternCache } from './patterns.ts';

/** With the stems and stop words of 20 languages. */
const loadFaq = loadLaterBy(() => import('./faq/faq.ts'));

/** A version of a workflow, ready to run; what takes time to prepare is made when it is first needed. */
export class Graph {
  readonly start: NodeOf<'start'> | undefined;
  readonly #nodes: ReadonlyMap<string, WorkflowNode>;
  readonly #faqs = new Map<string, Promise<Faq>>();
  readonly #patterns: PatternCache;

  constructor(nodes: readonly WorkflowNode[], patterns = new PatternCache()) {
    this.#patterns = patterns;
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.start = nodes.find((node): node is NodeOf<'start'> => node.type === 'start');
  }

  node(id: string): WorkflowNode | undefined {
    return this.#nodes.get(id);
  }

  /** The entries of a node, made ready once for all who ask. */
  faq(node: NodeOf<'faq'>): Promise<Faq> {
    const known = this.#faqs.get(node.id);
    if (known) return known;
    const made = loadFaq().then(({ Faq }) => Faq.from(node.entries));
    this.#faqs.set(node.id, made);
    // Whoever asks next tries again.
    made.catch(() => this.#faqs.delete(node.id));
    return made;
  }

  /** The pattern of a condition. @throws Error that says why it can't be compiled: an older server may have stored it */
  pattern(source: string): Pattern {
    return this.#patterns.get(source);
  }
}

/** Size of the cache, in characters of JSON. A faq node that is ready to be asked takes some 50 bytes for each. */
const MAX_CHARACTERS = 2_000_000;

/** Graphs as they were stored; a version never changes, so that one that was read once stays good. */
export class GraphCache {
  readonly #graphs: Pick<GraphStore, 'get'>;
  readonly #kept = new LRUCache<string, Graph>({ maxSize: MAX_CHARACTERS });
  readonly #patterns = new PatternCache();

  constructor(graphs: Pick<GraphStore, 'get'>) {
    this.#graphs = graphs;
  }

  /** @throws ParlorError `not_found` when its workflow was deleted. */
  async get(id: string): Promise<Graph> {
    const known = this.#kept.get(id);
    if (known) return known;
    const { nodes } = await this.#graphs.get(id);
    const graph = new Graph(JSON.parse(nodes) as WorkflowNode[], this.#patterns);
    this.#kept.set(id, graph, { size: nodes.length });
    return graph;
  }
}
