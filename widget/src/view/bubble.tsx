import type { ComponentChildren } from 'preact';
import type { Line } from '../conversation/timeline.ts';
import { Icon, PATHS } from './icons.tsx';
import { Picture } from './picture.tsx';
import type { Ui } from './ui.ts';

/** The owner's greeting: the first bubble, no message of the room. */
export const greeting = (ui: Ui): Line => ({ key: 'greeting', body: ui.host.widget.greeting_message });

interface AvatarProps {
  ui: Ui;
  first?: boolean;
  /** The picture of the member who wrote it. */
  face?: string | null | undefined;
}

/** The picture beside the first of what the other side says in one go; its room beside the rest. */
export function Avatar({ ui, first = true, face }: AvatarProps) {
  const { widget } = ui.host;
  if (!widget.is_show_bot_avatar) return null;
  return (
    <Picture
      sources={first ? [face, widget.bot_avatar || widget.logo_large] : []}
      class={first ? 'avatar' : 'avatar off'}
    >
      <Icon path={PATHS.person} />
    </Picture>
  );
}

interface BubbleProps {
  ui: Ui;
  line: Line;
  first?: boolean;
  last?: boolean;
  /** The text, where it is more than text; and what stands below it. */
  children?: ComponentChildren;
  below?: ComponentChildren;
}

/** One message with its time and what became of it. */
export function Bubble({ ui, line, first = true, last = true, children, below }: BubbleProps) {
  const t = ui.texts.value;
  const { own, state, at, nickname, bot } = line;
  const name = own ? t.you : nickname || (bot ? t.bot : t.support);
  return (
    <div class={`row ${own ? 'own' : 'other'} ${first ? 'first' : ''} ${last ? 'last' : ''} ${state ?? ''}`}>
      {!own && <Avatar ui={ui} first={first} face={line.face} />}
      <div class="said">
        {!own && first && (nickname || bot) && (
          <span class="who" aria-hidden="true">
            {name}
          </span>
        )}
        <span class="hidden">{name}: </span>
        <div class="bubble" dir="auto">
          {children ?? line.body}
        </div>
        {at && (
          <div class={last || state === 'failed' ? 'meta' : 'hidden'}>
            <time dateTime={new Date(at).toISOString()}>{ui.clock.value.format(at)}</time>
            {state && <span class="state">{t[state]}</span>}
          </div>
        )}
        {below}
      </div>
    </div>
  );
}
