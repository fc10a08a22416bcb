import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Toast, Toasts, toast } from '../../ui/toast.tsx';
import { Frame } from '../frame.tsx';
import styles from '../pieces.module.css';
import { LONG } from '../samples.ts';
import { Piece, State } from '../state.tsx';

const idle = () => undefined;

const Rename = () => (
  <Dialog title="Rename" onClose={idle}>
    <p>Visitors see the name above what you write.</p>
    <Field label="Name" name="name" defaultValue="Grace Hopper" />
    <Button kind="primary">Save</Button>
  </Dialog>
);

/** What lies above a page. */
export const Overlays = ({ direction }: { direction: 'ltr' | 'rtl' }) => (
  <>
    <Piece name="Dialog" about="Asks for what an action needs; Escape and a press beside it close it.">
      <State label="on a desk" size="wide">
        <Frame title="Dialog on a desk" size="desk" direction={direction}>
          <Rename />
        </Frame>
      </State>
      <State label="on a phone">
        <Frame title="Dialog on a phone" size="phone" direction={direction}>
          <Rename />
        </Frame>
      </State>
      <State label="long">
        <Frame title="Dialog with a long text" size="phone" direction={direction}>
          <Dialog title={LONG} onClose={idle}>
            {[1, 2, 3, 4, 5, 6].map((n) => (
              <p key={n} class={styles.broken}>
                {LONG}
              </p>
            ))}
          </Dialog>
        </Frame>
      </State>
    </Piece>
    <Piece name="Toast" about="What has just been done, and the way to take it back.">
      <State label="done">
        <Toast text="Saved" />
      </State>
      <State label="with undo">
        <Toast text="Webhook deleted." onUndo={idle} />
      </State>
      <State label="hovered" pretended="hover">
        <Toast text="Webhook deleted." onUndo={idle} />
      </State>
      <State label="focused" pretended="focus-visible">
        <Toast text="Webhook deleted." onUndo={idle} />
      </State>
      <State label="long" size="narrow">
        <Toast text={`${LONG} was deleted.`} onUndo={idle} />
      </State>
    </Piece>
    <Piece name="Toasts" about="Where it is said, for six seconds.">
      <State label="on a page" size="wide">
        <Frame title="Toasts on a page" size="desk" direction={direction}>
          <main class={styles.content}>
            <h1 class="hidden">A page</h1>
            <Button onClick={() => toast('Webhook deleted.', idle)}>Delete</Button>
          </main>
          <Toasts />
        </Frame>
      </State>
    </Piece>
  </>
);
