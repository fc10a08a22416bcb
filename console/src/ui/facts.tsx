import type { ComponentChildren } from 'preact';
import styles from './facts.module.css';

/** What is known of something, each with its name before it. */
export const Facts = ({ children }: { children: ComponentChildren }) => (
  <dl class={styles.facts}>{children}</dl>
);

/** One of them; nothing where it is not known. */
export const Fact = ({ label, children }: { label: string; children: ComponentChildren }) =>
  children ? (
    <div>
      <dt>{label}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  ) : null;

/** An address of the web, shown without what every one has; anything else stays text. */
export const WebAddress = ({ url, title }: { url: string; title?: string }) => {
  if (!/^https?:\/\//.test(url)) return <span>{url}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {title || url.replace(/^https?:\/\//, '')}
    </a>
  );
};
