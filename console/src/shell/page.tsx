import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { pageLanguage } from '../locale/locale.ts';
import { Panel } from '../ui/panel.tsx';
import styles from './page.module.css';

/** One page beside the navigation: its title names the tab, too. */
export const Page = ({
  title,
  hint,
  action,
  isWide = false,
  children,
}: {
  title: string;
  hint?: string;
  action?: ComponentChildren;
  /** As wide as there is room, such as for a table. */
  isWide?: boolean;
  children: ComponentChildren;
}) => {
  useEffect(() => {
    document.title = `${title} · Parlor`;
  }, [title]);
  return (
    <div class={`${styles.page} ${isWide ? styles.wide : ''}`}>
      <header>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {hint && <p lang={pageLanguage.value}>{hint}</p>}
        </div>
        {action}
      </header>
      {children}
    </div>
  );
};

/** A part of a page under a heading of its own. */
export const Section = ({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: string;
  children: ComponentChildren;
}) => (
  <Panel>
    <header>
      <h2 lang={pageLanguage.value}>{title}</h2>
      {hint && <p lang={pageLanguage.value}>{hint}</p>}
    </header>
    <div class={styles.content}>{children}</div>
  </Panel>
);
