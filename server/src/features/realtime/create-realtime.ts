import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Relay } from '../../events/relay.ts';
import type { CurrentAvatars } from '../members/avatars/current-avatars.ts';
import type { MessagesService } from '../messages/messages.service.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import type { Channel } from './channel.ts';
import { ClientFrames } from './client-frames.ts';
import { eventLogEntryModel, eventLogHeadModel } from './event-log.model.ts';
import { openConnectionsModel } from './open-connections.model.ts';
import { presenceModel, presenceProcessModel } from './presence.model.ts';
import { PresenceService } from './presence.ts';
import { PresenceStore } from './presence-store.ts';
import { readMarkModel } from './read-marks.model.ts';
import { ReadMarks } from './read-marks.ts';
import { Typing } from './typing.ts';
import { Viewing } from './viewing.ts';

/** The collections of realtime. */
export const realtimeModels = (connection: Connection) => ({
  realtimeEntries: eventLogEntryModel(connection),
  realtimeHead: eventLogHeadModel(connection),
  readMarks: readMarkModel(connection),
  openConnections: openConnectionsModel(connection),
  presence: presenceModel(connection),
  presenceProcesses: presenceProcessModel(connection),
});

/** Builds what clients can do over the channel. */
export const createRealtime = ({
  channel,
  currentAvatars,
  log,
  messages,
  models,
  relay,
  rooms,
}: {
  channel: Channel;
  currentAvatars: CurrentAvatars;
  log: Logger;
  messages: MessagesService;
  models: ReturnType<typeof realtimeModels>;
  relay: Relay;
  rooms: RoomsService;
}) => {
  const typing = new Typing(channel, log);
  const viewing = new Viewing(channel, log);
  const readMarks = new ReadMarks(models.readMarks, messages, relay);
  const frames = new ClientFrames({ currentAvatars, rooms, readMarks, typing, viewing }, log);
  const store = new PresenceStore(models.presence, models.presenceProcesses);
  const presence = new PresenceService(store, channel, rooms, log);
  return { frames, presence, readMarks, typing, viewing };
};
