import type { Model } from 'mongoose';
import { collectionOf } from '../../database/collection-data.ts';
import type { realtimeModels } from './create-realtime.ts';
import { EMPTIED } from './event-log.model.ts';

type Models = ReturnType<typeof realtimeModels>;
type DocumentOf<M> = M extends Model<infer T> ? T : never;

const of = <Name extends keyof Models>() => collectionOf<DocumentOf<Models[Name]>>();

/** What the map of data says of the collections of the live channel. */
export const realtimeData = {
  realtimeEntries: of<'realtimeEntries'>()({
    owner: { by: 'account' },
    kept: { after: 'at', seconds: 65 * 60 },
    erased: { by: 'room', how: 'redacted', madeAt: 'at' },
    emptied: EMPTIED,
    fields: {
      plain: ['_id', 'event', 'name', 'account', 'room', 'widget', 'lead', 'note', 'at', 'origin'],
      visitor: ['data'],
    },
  }),
  realtimeHead: of<'realtimeHead'>()({
    owner: 'server',
    kept: 'until deleted',
    fields: { plain: ['_id', 'last', 'at', 'epoch'] },
  }),
  readMarks: of<'readMarks'>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    erased: { by: 'room', how: 'deleted', madeAt: 'sent_at' },
    fields: { plain: ['_id', 'account', 'room', 'sender', 'message', 'sent_at', 'events'] },
  }),
  presence: of<'presence'>()({
    owner: { by: 'account' },
    kept: 'while at work',
    fields: { plain: ['_id', 'process', 'account', 'side', 'room'] },
  }),
  presenceProcesses: of<'presenceProcesses'>()({
    owner: 'server',
    kept: 'while at work',
    fields: { plain: ['_id', 'expires_at'] },
  }),
  openConnections: of<'openConnections'>()({
    owner: 'server',
    kept: 'while at work',
    fields: { plain: ['process', 'count'], address: ['_id', 'address'] },
  }),
};
