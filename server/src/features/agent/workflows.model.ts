import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';

/** What the public key of a workflow looks like. */
export const PUBLIC_KEY = /^pk_live_[A-Za-z0-9]{32}$/;

/** A workflow but for its graph, so that a key is looked up without reading one. */
export interface StoredWorkflow extends EventHolder {
  _id: string;
  account: string;
  name: string;
  is_published: boolean;
  /** Its account, when the workflow answers the account's rooms: the unique index lets only one do so. */
  room_bot_of?: string;
  /** The graph as it stands now. */
  graph: string;
  /** The public key, found by its keyed hash and kept encrypted, since it is shown again, like tokens. */
  key_fingerprint: string;
  key_sealed: string;
  created_at: Date;
  /** Counts the writes; a compare-and-set goes by it. */
  version: number;
}

export type WorkflowModel = Model<StoredWorkflow>;

export const workflowModel = defineModel<StoredWorkflow>(
  'Workflow',
  {
    _id: String,
    account: String,
    name: String,
    is_published: Boolean,
    room_bot_of: { type: String, default: undefined },
    graph: String,
    key_fingerprint: String,
    key_sealed: String,
    created_at: Date,
    version: Number,
    ...outboxFields,
  },
  [
    [{ key_fingerprint: 1 }, { unique: true }],
    [{ room_bot_of: 1 }, { unique: true, sparse: true }],
    [{ account: 1, created_at: -1, _id: -1 }],
    outboxIndex,
  ],
);

/** One version of a workflow's graph; never changed, so that a conversation keeps the version it began with. */
export interface StoredGraph {
  /** Derived from the workflow and the text, so that the same graph is stored once. */
  _id: string;
  workflow: string;
  /** Absent where an older server stored it. */
  account?: string;
  /** The nodes as JSON: one text is smaller and quicker to read than a tree of up to 500 documents. */
  nodes: string;
  problems: string[];
  /** When it was last set; those that were set longest ago go first. */
  stored_at?: Date;
  /** The member who set it last; absent or null: a program, or it was set by an older server. */
  saved_by?: string | null;
  node_count?: number;
}

export type GraphModel = Model<StoredGraph>;

export const graphModel = defineModel<StoredGraph>(
  'WorkflowGraph',
  {
    _id: String,
    workflow: String,
    account: String,
    nodes: String,
    problems: [String],
    stored_at: Date,
    saved_by: String,
    node_count: Number,
  },
  [[{ workflow: 1, stored_at: -1 }], [{ account: 1 }, { sparse: true }]],
);
