import type { Lead, ServerFrame } from '@parlor/shared';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { listen } from '../api/live.ts';
import { Resource } from '../api/resource.ts';
import { choose, type Edit, editOf, hasChanges } from '../ui/edit.ts';
import { type Edited, EditedObject } from '../ui/edited-object.ts';
import { keepEdit } from '../ui/kept-edit.ts';
import { type Contact, contactOf } from './contact.ts';
import { type LeadList, pathOf } from './lead-list.ts';

/** A lead as it stands, kept right by the live channel, and what is being written about it. */
export type LoadedLead = Edited<Lead, Contact> | 'loading' | 'gone' | 'failed';

/** The lead that a frame tells of; one that was deleted may be left once more, by the same visitor. */
const leadIn = (frame: ServerFrame): string | undefined =>
  frame.type === 'lead.added' || frame.type === 'lead.changed' || frame.type === 'lead.deleted'
    ? frame.data.uuid
    : undefined;

/** Reads a lead to be changed, and again when it has changed. */
export const useLead = (uuid: string, list: LeadList) => {
  const [lead, setLead] = useState<LoadedLead>('loading');
  /** What became of it last, here or by somebody else. */
  const [said, setSaid] = useState<'saved' | 'updated' | undefined>();
  const edited = useMemo(() => {
    const resource = new Resource<Lead>(pathOf({ uuid }));
    return new EditedObject<Lead, Contact>('lead', uuid, resource, contactOf, (now) => {
      setLead(now);
      if (list.has(uuid)) list.put(now.known.object);
    });
  }, [uuid]);
  const read = async (): Promise<void> => {
    try {
      if ((await edited.read()) === 'updated') setSaid('updated');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404) {
        setLead('gone');
        list.drop(uuid);
        // Not even what was typed about it is kept.
        keepEdit('lead', uuid, undefined);
      } else setLead((before) => (typeof before === 'object' ? before : 'failed'));
    }
  };
  useEffect(() => {
    void read();
    return listen({
      onFrame(frame) {
        if (leadIn(frame) === uuid) void read();
      },
      onResync: read,
    });
  }, [uuid]);

  const write = (change: (before: Edit<Contact>) => Edit<Contact>): void => {
    setSaid(undefined);
    edited.write(change);
  };
  return {
    lead,
    said,
    read,
    type: (name: keyof Contact, value: string) =>
      write((before) => ({ ...before, mine: { ...before.mine, [name]: value } })),
    take: (name: keyof Contact) => write((before) => choose(before, name, true)),
    discard: () => write(({ base }) => editOf(base)),
    /** Saves what is written, or shows what somebody else has changed since. @throws ApiError */
    async save(): Promise<void> {
      setSaid(undefined);
      if (!(await edited.save())) await read();
      // Not of what was written since, nor where somebody else's is to be told.
      if (edited.current && !hasChanges(edited.current.edit)) setSaid((before) => before ?? 'saved');
    },
  };
};

export type LeadEdits = ReturnType<typeof useLead>;
