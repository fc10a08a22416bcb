import type { Conversation } from '@parlor/shared';
import type { Signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { moment, words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { Icon } from '../ui/icon.tsx';
import { type Choice, Menu } from '../ui/menu.tsx';
import styles from './actions.module.css';
import { assign, reopen, setTags, snooze, snoozeTimes, toggleDone } from './acts.ts';
import { members, nameOf } from './people.ts';

/** Which of the menus is open, also by a key. */
export type OpenMenu = 'assign' | 'snooze' | 'tag' | undefined;

const AssignMenu = ({
  one,
  ...rest
}: {
  one: Conversation;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}) => {
  const t = words.value.inbox;
  const others = members.value.filter(({ uuid, is_away }) => uuid !== me.value?.uuid && !is_away);
  const choice = (uuid: string | null, label: string): Choice => ({
    key: uuid ?? 'nobody',
    label,
    isChosen: one.assignee === uuid,
    onChoose: () => void assign(one, uuid),
  });
  const choices = [
    ...(me.value && !me.value.is_away ? [choice(me.value.uuid, t.me)] : []),
    choice(null, t.nobody),
    ...others.map(({ uuid, name }) => choice(uuid, name)),
  ];
  const value = one.assignee ? nameOf(one.assignee) : undefined;
  return <Menu {...rest} label={t.assign} icon="assign" value={value} choices={choices} />;
};

const SnoozeMenu = ({
  one,
  ...rest
}: {
  one: Conversation;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}) => {
  const t = words.value.inbox;
  const choices = snoozeTimes(new Date()).map(
    ({ key, at }): Choice => ({
      key,
      label: t[key],
      note: moment(at.toISOString()),
      onChoose: () => void snooze(one, at),
    }),
  );
  return <Menu {...rest} label={t.snooze} icon="snooze" choices={choices} />;
};

const MAX_TAG = 40;

const TagMenu = ({
  one,
  ...rest
}: {
  one: Conversation;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}) => {
  const t = words.value.inbox;
  const [known, setKnown] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState('');
  const hasAsked = useRef(false);
  const toggle = (isOpen: boolean) => {
    setTyped('');
    rest.onToggle(isOpen);
  };
  if (rest.isOpen && !hasAsked.current) {
    hasAsked.current = true;
    ask<string[]>('GET', 'conversations/tags/').then(setKnown, () => undefined);
  }
  if (!rest.isOpen) hasAsked.current = false;
  const wanted = typed.trim();
  const fits = (tag: string) => tag.toLocaleLowerCase().includes(wanted.toLocaleLowerCase());
  const offered = [...new Set([...one.tags, ...known])].filter(fits).slice(0, 20);
  const flip = (tag: string) =>
    setTags(one, one.tags.includes(tag) ? one.tags.filter((other) => other !== tag) : [...one.tags, tag]);
  const isNew = wanted !== '' && !offered.includes(wanted);
  const choices: Choice[] = [
    ...(isNew ? [{ key: ' new', label: `${t.addTag}: ${wanted}`, onChoose: () => void flip(wanted) }] : []),
    ...offered.map((tag) => ({
      key: tag,
      label: tag,
      isChosen: one.tags.includes(tag),
      onChoose: () => void flip(tag),
    })),
  ];
  return (
    <Menu {...rest} onToggle={toggle} label={t.tag} icon="tag" choices={choices}>
      <input
        class={styles.filter}
        aria-label={t.addTag}
        placeholder={t.addTag}
        maxLength={MAX_TAG}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !choices[0]) return;
          event.preventDefault();
          toggle(false);
          choices[0].onChoose();
        }}
      />
    </Menu>
  );
};

/** What is done with a conversation, each with its key. */
export const Actions = ({ one, open }: { one: Conversation; open: Signal<OpenMenu> }) => {
  const t = words.value.inbox;
  const menu = (name: NonNullable<OpenMenu>) => ({
    one,
    isOpen: open.value === name,
    onToggle: (isOpen: boolean) => {
      if (isOpen) open.value = name;
      else if (open.value === name) open.value = undefined;
    },
  });
  return (
    <div class={styles.actions}>
      <AssignMenu {...menu('assign')} />
      <TagMenu {...menu('tag')} />
      {one.status === 'snoozed' ? (
        <button type="button" class={styles.done} onClick={() => reopen(one)}>
          <Icon name="reopen" />
          {t.reopen}
        </button>
      ) : (
        <SnoozeMenu {...menu('snooze')} />
      )}
      <button type="button" class={styles.done} onClick={() => toggleDone(one)}>
        <Icon name={one.status === 'done' ? 'reopen' : 'done'} />
        {one.status === 'done' ? t.reopen : t.done}
      </button>
    </div>
  );
};
