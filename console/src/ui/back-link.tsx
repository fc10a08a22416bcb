import styles from './back-link.module.css';

/** Leads back to the list that a page is of; stands under the page's title. */
export const BackLink = ({ href, children }: { href: string; children: string }) => (
  <p class={styles.back}>
    <a href={href}>{children}</a>
  </p>
);
