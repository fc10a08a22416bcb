import { MAX_BRANCHES, MAX_NODE_ID, MAX_NODES, text, Workflow } from '@parlor/shared';
import { collectionOf, NEWEST_FIRST } from '../../database/collection-data.ts';
import { listOf, made } from '../../database/stored-shapes.ts';
import { STORED_NODES } from './stored-nodes.ts';
import { PUBLIC_KEY, type StoredGraph, type StoredWorkflow } from './workflows.model.ts';

/** The longest says of a loop which nodes it goes through; most are of edges to nowhere. */
const MAX_PROBLEM = MAX_NODES * (MAX_NODE_ID + 4) + 100;
const MAX_PROBLEMS = MAX_NODES * (MAX_BRANCHES + 4);

/** What the map of data says of workflows. */
export const agentData = {
  workflows: collectionOf<StoredWorkflow>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    fields: {
      plain: ['_id', 'account', 'is_published', 'room_bot_of', 'graph', 'created_at', 'version'],
      owner: ['name', 'events'],
      sealed: ['key_sealed'],
      keyed: ['key_fingerprint'],
    },
    absent: ['room_bot_of'],
    own: ['room_bot_of'],
    shapes: { name: Workflow.shape.name, key_sealed: made(PUBLIC_KEY) },
  }),
  graphs: collectionOf<StoredGraph>()({
    owner: { by: 'workflow', via: 'workflows' },
    kept: 'until deleted',
    copied: { workflow: 1 },
    needs: { workflow: 'workflows' },
    fields: {
      plain: ['_id', 'workflow', 'account', 'stored_at', 'saved_by', 'node_count'],
      owner: ['nodes', 'problems'],
    },
    absent: ['account', 'stored_at', 'saved_by', 'node_count'],
    nullable: ['saved_by'],
    shapes: { nodes: STORED_NODES, problems: listOf(text({ max: MAX_PROBLEM }), MAX_PROBLEMS) },
  }),
};
