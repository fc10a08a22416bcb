import { signal } from '@preact/signals';
import { ApiError } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { onLeave } from '../ui/leaving.ts';
import { recognize, session } from './session.ts';
import { Unreachable } from './unreachable.tsx';

/** A page that one comes back to, as the browser has kept it, until it is known who is signed in. */
const state = signal<'left' | 'asking' | 'unreachable' | undefined>(undefined);

/** On the page itself, so that the browser keeps it without a word of the account, and draws none of it before a script runs. */
const show = (now: typeof state.value): void => {
  state.value = now;
  document.documentElement.toggleAttribute('data-left', now !== undefined);
};

const ask = async (): Promise<void> => {
  show('asking');
  try {
    // Where somebody else has signed in the page begins anew.
    if (await recognize()) show(undefined);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    show(error.status === 401 ? undefined : 'unreachable');
  }
};

onLeave(({ persisted }) => {
  if (persisted && session.value === 'in') show('left');
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && state.value) void ask();
});

/** Stands in place of a page that one has come back to; what was typed in it stays. */
export const Returning = () => {
  if (!state.value) return null;
  return (
    <div class="returning">
      {state.value === 'unreachable' ? (
        <Unreachable onRetry={ask} />
      ) : (
        <p class="hidden" role="status">
          {words.value.common.loading}
        </p>
      )}
    </div>
  );
};
