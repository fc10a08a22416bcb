import type { Logger } from 'pino';
import type { AccountLeases } from '../accounts/account-leases.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { NoteModel } from '../inbox/notes/note.model.ts';
import type { LeadModel } from '../leads/leads.model.ts';
import type { MessageModel } from '../messages/messages.model.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import { EarlierObjects } from './earlier-objects.ts';
import { Sealing } from './sealing.ts';
import { SearchService } from './search.service.ts';
import { SearchIndex } from './search-index.ts';
import type { SearchProgressModel, SegmentModel } from './segments.model.ts';
import { Segments } from './segments.ts';
import { searchSources } from './sources.ts';

/** Builds the search: its index, what keeps that in step, and what looks into it. */
export const createSearch = ({
  models,
  leases,
  unfinishedImports,
  log,
}: {
  models: {
    accounts: AccountModel;
    rooms: RoomModel;
    messages: MessageModel;
    leads: LeadModel;
    notes: NoteModel;
    searchSegments: SegmentModel;
    searchProgress: SearchProgressModel;
  };
  leases: AccountLeases;
  unfinishedImports: Pick<UnfinishedImports, 'without'>;
  log: Logger;
}) => {
  const sources = searchSources(models);
  const segments = new Segments(models.searchSegments);
  const sealing = new Sealing(segments, leases);
  const { accounts, searchProgress: progress } = models;
  return {
    index: new SearchIndex({ sources, segments, sealing, accounts, log }),
    earlier: new EarlierObjects({ accounts, progress, segments, sealing, sources, unfinishedImports, log }),
    search: new SearchService(sources, segments, models.rooms),
  };
};
