import type { DeliveryState } from '@parlor/shared';
import styles from './state-dot.module.css';

/** A mark beside the words that say the same: delivered, failed, under way, or nothing. */
export const StateDot = ({ state }: { state: DeliveryState | undefined }) => (
  <svg class={`${styles.dot} ${state ? styles[state] : ''}`} viewBox="0 0 8 8" aria-hidden="true">
    <circle cx="4" cy="4" r="4" />
  </svg>
);
