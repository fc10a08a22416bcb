import type { NewWidget, Widget } from '@parlor/shared';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask, askTagged, type Tagged } from '../api/client.ts';
import { widgetWords } from '../locale/widgets.ts';
import { changesOf, type Edit, editOf, isSame, rebase } from '../ui/edit.ts';
import { keepEdit, keptEdit } from '../ui/kept-edit.ts';
import { settingsOf } from './settings.ts';

const KIND = 'widget';
const GONE = 404;
const CHANGED_SINCE = 412;

/** Of a widget that others go on changing: after so many tries whoever saves is told. */
const TRIES = 4;

/** A widget as it stands, and what is being written about it. */
export interface Studio {
  widget: Tagged<Widget>;
  edit: Edit<NewWidget>;
}

export type Loaded = Studio | 'loading' | 'gone' | 'failed';

export const pathOf = ({ token }: Pick<Widget, 'token'>): string => `widgets/${token}/`;

const readOwn = (widget: Pick<Widget, 'token'>): Promise<Tagged<Widget>> => askTagged('GET', pathOf(widget));

/** @returns undefined where there is none, or none that whoever is signed in may see */
const readByUuid = async (uuid: string): Promise<Tagged<Widget> | undefined> => {
  const all = await ask<Widget[]>('GET', 'widgets/?limit=1000');
  const found = all.find((one) => one.uuid === uuid);
  return found && readOwn(found);
};

export const hasChanges = ({ edit }: Studio): boolean => Object.keys(changesOf(edit)).length > 0;
export const isDisputed = ({ edit }: Studio): boolean => Object.keys(edit.theirs).length > 0;

/** How a saving ended. */
export type Saved = 'saved' | 'merged' | 'disputed' | 'gone';

/**
 * A widget to be changed. What is written outlives a reload; what others save meanwhile is merged, setting by setting, and
 * never overwritten unseen.
 */
export const useStudio = (uuid: string) => {
  const [loaded, setLoaded] = useState<Loaded>('loading');
  const current = useRef<Studio | undefined>(undefined);
  const put = (studio: Studio): Studio => {
    current.current = studio;
    keepEdit(KIND, uuid, hasChanges(studio) ? studio.edit : undefined);
    setLoaded(studio);
    return studio;
  };

  /** Goes on from how the widget stands now. */
  const follow = (widget: Tagged<Widget>): Studio => {
    const settings = settingsOf(widget.object);
    const before = current.current?.edit ?? keptEdit<NewWidget>(KIND, uuid);
    return put({ widget, edit: before ? rebase(before, settings) : editOf(settings) });
  };

  const load = async (): Promise<void> => {
    try {
      const found = await readByUuid(uuid);
      if (found) follow(found);
      else setLoaded('gone');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setLoaded('failed');
    }
  };
  useEffect(() => {
    current.current = undefined;
    setLoaded('loading');
    void load();
  }, [uuid]);

  /** Looks whether somebody has changed the widget. @returns whether it was changed */
  const look = async (): Promise<boolean> => {
    const before = current.current;
    if (!before) return false;
    try {
      const found = await readOwn(before.widget.object);
      if (current.current !== before || found.etag === before.widget.etag) return false;
      follow(found);
      return !isSame(before.edit.base, settingsOf(found.object));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === GONE) setLoaded('gone');
      // It is looked at again; and saving says what is wrong.
      return false;
    }
  };

  /** One try. @returns undefined where it has changed since: it is merged, and to be tried again */
  const send = async ({ widget, edit }: Studio): Promise<Saved | undefined> => {
    try {
      const headers = { 'If-Match': widget.etag };
      const saved = await askTagged<Widget>('PATCH', pathOf(widget.object), changesOf(edit), { headers });
      // What was written while it was under way stays.
      const { mine } = (current.current as Studio).edit;
      put({ widget: saved, edit: rebase({ base: edit.mine, mine, theirs: {} }, settingsOf(saved.object)) });
      return 'saved';
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CHANGED_SINCE) throw error;
    }
    const next = follow(await readOwn(widget.object));
    if (isDisputed(next)) return 'disputed';
    return hasChanges(next) ? undefined : 'merged';
  };

  /** @throws ApiError */
  const save = async (): Promise<Saved> => {
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        const saved = await send(current.current as Studio);
        if (saved) return saved === 'saved' && tries > 0 ? 'merged' : saved;
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== GONE) throw error;
      setLoaded('gone');
      return 'gone';
    }
    throw new ApiError(CHANGED_SINCE, widgetWords.value.stillChanging);
  };

  const edit = (change: (before: Edit<NewWidget>) => Edit<NewWidget>) => {
    const before = current.current;
    if (before) put({ ...before, edit: change(before.edit) });
  };

  return {
    studio: loaded,
    load,
    look,
    save,
    change: (settings: Partial<NewWidget>) =>
      edit((before) => ({ ...before, mine: { ...before.mine, ...settings } })),
    /** Ends a dispute about a setting. */
    choose: (name: keyof NewWidget, isTheirs: boolean) =>
      edit((before) => {
        const { [name]: value, ...theirs } = before.theirs;
        const mine = isTheirs ? { ...before.mine, [name]: value } : before.mine;
        return { ...before, theirs, mine };
      }),
    discard: () => edit((before) => editOf(before.base)),
  };
};
