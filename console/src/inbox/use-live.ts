import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection, goLive } from '../api/live.ts';
import { counts } from './counts.ts';
import { forgetSent, readDraftsAgain } from './drafts.ts';
import { take } from './frames.ts';
import { unmark, unmarkAll } from './marked.ts';
import { sentElsewhere, takeSent } from './outbox.ts';
import { readPeople } from './people.ts';
import { clear, readAnew } from './store.ts';
import { threads } from './threads.ts';
import { takeViewing } from './viewers.ts';

/** Connects while somebody is signed in, and reads anew what the channel can't tell. */
export const useLive = () =>
  useEffect(() => {
    void readPeople();
    const leave = goLive({
      onFrame(frame) {
        take(frame);
        takeSent(frame);
        const sent = sentElsewhere(frame);
        if (sent) {
          unmark(sent.room);
          forgetSent(sent.room, sent);
        }
        takeViewing(frame);
        threads.take(frame);
      },
      onResync() {
        void readAnew();
        threads.readAnew();
        readDraftsAgain();
      },
    });
    // The channel tells nothing of drafts, neither while it is there nor afterwards.
    const unwatch = effect(() => {
      if (connection.value === 'live') readDraftsAgain();
    });
    return () => {
      unwatch();
      leave();
      clear();
      unmarkAll();
      counts.value = undefined;
    };
  }, []);
