import type { NewWidget, Widget } from '@parlor/shared';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { Resource } from '../api/resource.ts';
import { choose, type Edit, editOf } from '../ui/edit.ts';
import { type Edited, EditedObject, type Saved as SavedObject } from '../ui/edited-object.ts';
import { settingsOf } from './settings.ts';

const KIND = 'widget';
const GONE = 404;

/** A widget as it stands, and what is being written about it. */
export type Studio = Edited<Widget, NewWidget>;

export type Loaded = Studio | 'loading' | 'gone' | 'failed';

export const pathOf = ({ token }: Pick<Widget, 'token'>): string => `widgets/${token}/`;

/** @returns undefined where there is none, or none that whoever is signed in may see */
const findByUuid = async (uuid: string): Promise<Widget | undefined> =>
  (await ask<Widget[]>('GET', 'widgets/?limit=1000')).find((one) => one.uuid === uuid);

export const isDisputed = ({ edit }: Studio): boolean => Object.keys(edit.theirs).length > 0;

/** How a saving ended. */
export type Saved = SavedObject | 'gone';

/**
 * A widget to be changed. What is written outlives a reload; what others save meanwhile is merged, setting by setting, and
 * never overwritten unseen.
 */
export const useStudio = (uuid: string) => {
  const [loaded, setLoaded] = useState<Loaded>('loading');
  const edited = useRef<EditedObject<Widget, NewWidget> | undefined>(undefined);

  const load = async (): Promise<void> => {
    try {
      const found = await findByUuid(uuid);
      if (!found) return setLoaded('gone');
      const resource = new Resource<Widget>(pathOf(found));
      edited.current ??= new EditedObject(KIND, uuid, resource, settingsOf, setLoaded);
      await edited.current.read();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setLoaded(error.status === GONE ? 'gone' : 'failed');
    }
  };
  useEffect(() => {
    void load();
  }, []);

  /** Looks whether somebody has changed the widget. @returns whether it was changed */
  const look = async (): Promise<boolean> => {
    if (!edited.current?.current) return false;
    try {
      return (await edited.current.read()) !== 'same';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === GONE) setLoaded('gone');
      // It is looked at again; and saving says what is wrong.
      return false;
    }
  };

  /** @throws ApiError */
  const save = async (): Promise<Saved> => {
    try {
      return await (edited.current as EditedObject<Widget, NewWidget>).saveMerging();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== GONE) throw error;
      setLoaded('gone');
      return 'gone';
    }
  };

  const write = (change: (before: Edit<NewWidget>) => Edit<NewWidget>) => edited.current?.write(change);
  return {
    studio: loaded,
    load,
    look,
    save,
    change: (settings: Partial<NewWidget>) =>
      write((before) => ({ ...before, mine: { ...before.mine, ...settings } })),
    /** Ends a dispute about a setting. */
    choose: (name: keyof NewWidget, isTheirs: boolean) => write((before) => choose(before, name, isTheirs)),
    discard: () => write(({ base }) => editOf(base)),
  };
};
