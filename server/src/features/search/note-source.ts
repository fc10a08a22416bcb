import type { NoteModel, StoredNote } from '../inbox/notes/note.model.ts';
import { olderThan, type SearchObject, type SearchSource, STEP } from './source.ts';

const FIELDS = { account: 1, widget: 1, room: 1, created_at: 1, body: 1 } as const;

const objectOf = ({ _id, account, widget, room, created_at, body }: StoredNote): SearchObject => ({
  uuid: _id,
  account,
  widget,
  at: created_at,
  room,
  subjects: [room],
  texts: [['body', body]],
});

/** Notes of members, by what they say. No visitor may search, and no webhook is told of what is found. */
export const noteSource = ({ notes }: { notes: NoteModel }): SearchSource => ({
  kind: 'note',
  operation: 'retrieveNote',
  touchedBy: ({ name, data, room }) => {
    if (name !== 'note.added' && name !== 'note.changed' && name !== 'note.deleted') return undefined;
    const { uuid } = data as { uuid: string };
    return name === 'note.deleted' && room !== undefined ? { uuid, deletedFrom: room } : { uuid };
  },
  read: async (account, uuids) => {
    const those = { _id: { $in: uuids as string[] }, account };
    return (await notes.find(those, FIELDS).lean<StoredNote[]>()).map(objectOf);
  },
  left: async (account, uuids) => {
    const those = { _id: { $in: uuids as string[] }, account };
    return new Set((await notes.find(those, { _id: 1 }).lean()).map(({ _id }) => _id));
  },
  readOlder: async (account, before) => {
    const found = await notes
      .find({ account, ...olderThan('created_at', before) }, FIELDS)
      .sort({ created_at: -1, _id: -1 })
      .limit(STEP)
      .lean<StoredNote[]>();
    return found.map(objectOf);
  },
});
