import type { Member, Widget } from '@parlor/shared';
import { signal } from '@preact/signals';
import { ask } from '../api/client.ts';
import { me } from '../session/session.ts';
import { widgetName } from '../widgets/widget-name.ts';

/** Everybody who works on the account. */
export const members = signal<readonly Member[]>([]);

/** The account's widgets, as far as they are seen. */
export const widgets = signal<readonly { uuid: string; name: string }[]>([]);

/** Reads both; what can't be read now stays as it is. */
export const readPeople = async (): Promise<void> => {
  const [people, sites] = await Promise.allSettled([
    ask<Member[]>('GET', 'members/?limit=200'),
    ask<Widget[]>('GET', 'widgets/?limit=200'),
  ]);
  if (people.status === 'fulfilled') members.value = people.value.filter(({ username }) => username !== null);
  if (sites.status === 'fulfilled') {
    widgets.value = sites.value.map((one) => ({ uuid: one.uuid, name: widgetName(one) }));
  }
};

/** What a widget is called; empty where it is not known. */
export const widgetNameOf = (uuid: string | null): string =>
  widgets.value.find((widget) => widget.uuid === uuid)?.name ?? '';

/** The address of a member's picture: one's own is known best. */
export const pictureOf = (uuid: string | null | undefined): string | null | undefined =>
  uuid === me.value?.uuid ? me.value?.avatar : members.value.find((member) => member.uuid === uuid)?.avatar;

/** What a member is called; empty where it is not known. */
export const nameOf = (uuid: string | null | undefined): string =>
  members.value.find((member) => member.uuid === uuid)?.name ?? '';
