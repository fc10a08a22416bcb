import { useEffect, useRef } from 'preact/hooks';
import { Icon, PATHS } from '../view/icons.tsx';
import { Picture } from '../view/picture.tsx';
import type { Ui } from '../view/ui.ts';

/** The top of the window: tall while nobody has written, one line once the conversation runs. */
export function Header({ ui }: { ui: Ui }) {
  const { widget } = ui.host;
  const { modules, menu } = ui;
  const t = ui.texts.value;
  const running = ui.conversation.started.value;
  const subtitle = (running && widget.chat_subtitle) || widget.header_subtitle;
  const module = modules.menu.value;
  const opener = useRef<HTMLButtonElement>(null);

  // A menu that has gone has taken the focus with it.
  useEffect(() => {
    if (!menu.value) return;
    return () => {
      if (ui.open.peek() && !ui.host.root.activeElement) opener.current?.focus();
    };
  }, [menu.value]);

  return (
    <div class={running ? 'header running' : 'header'}>
      <Picture sources={[widget.logo_large]} class="logo" />
      <div class="titles">
        <h2>{widget.header_title}</h2>
        {subtitle && <p>{subtitle}</p>}
      </div>
      <div
        class="tools"
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (relatedTarget && !currentTarget.contains(relatedTarget as Node)) menu.value = false;
        }}
      >
        <button
          type="button"
          ref={opener}
          class="tool"
          aria-label={t.menu}
          aria-expanded={menu.value}
          onClick={() => {
            modules.need('menu');
            menu.value = !menu.value;
          }}
        >
          <Icon path={PATHS.more} />
        </button>
        <button type="button" class="tool" aria-label={t.close} onClick={() => ui.toggle(false)}>
          <Icon path={PATHS.close} />
        </button>
        {menu.value && module && <module.Menu ui={ui} />}
      </div>
    </div>
  );
}
