import { collectionOf, NEWEST_FIRST } from '../../database/collection-data.ts';
import type { StoredGraph, StoredWorkflow } from './workflows.model.ts';

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
  }),
};
