import type { Pages } from '../../api/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Listing, Rows } from '../../ui/listing.tsx';
import { More } from '../../ui/more.tsx';
import { Panel } from '../../ui/panel.tsx';
import styles from '../pieces.module.css';
import { ARABIC, LONG } from '../samples.ts';
import { Piece, State } from '../state.tsx';

const idle = () => undefined;

const pages: Pages<unknown> = {
  items: [],
  error: '',
  isBusy: false,
  hasMore: true,
  more: idle,
  refresh: idle,
  add: idle,
};

const Names = ({ names }: { names: readonly string[] }) => (
  <Rows label="Saved replies">
    {names.map((name) => (
      <li key={name} class={styles.row}>
        <button type="button" dir="auto">
          {name}
        </button>
      </li>
    ))}
  </Rows>
);

const NAMES = ['Good morning', 'Where is my parcel?', 'Thank you'];

/** What stands in lists and frames. */
export const Lists = () => (
  <>
    <Piece name="Listing" about="A list of a page, from the first reading on.">
      <State label="loading">
        <Listing items={undefined} error="" onRetry={idle} empty="">
          <Names names={[]} />
        </Listing>
      </State>
      <State label="error">
        <Listing items={undefined} error="This page could not be loaded." onRetry={idle} empty="">
          <Names names={[]} />
        </Listing>
      </State>
      <State label="empty">
        <Listing
          items={[]}
          error=""
          onRetry={idle}
          empty={
            <Empty title="No saved replies yet" hint="What you write again and again, saved once.">
              <Button kind="primary">Add a reply</Button>
            </Empty>
          }
        >
          <Names names={[]} />
        </Listing>
      </State>
      <State label="read">
        <Listing items={NAMES} error="" onRetry={idle} empty="">
          <Names names={NAMES} />
        </Listing>
      </State>
      <State label="read, and failed since">
        <Listing items={NAMES} error="This page could not be loaded." onRetry={idle} empty="">
          <Names names={NAMES} />
        </Listing>
      </State>
    </Piece>
    <Piece name="Rows" about="A frame with a line between two; a row may be a link or a button.">
      <State label="hovered" pretended="hover" of="li:nth-child(2)">
        <Names names={NAMES} />
      </State>
      <State label="focused" pretended="focus-visible">
        <Names names={NAMES} />
      </State>
      <State label="one">
        <Names names={['Good morning']} />
      </State>
      <State label="long, and right to left" size="narrow">
        <Names names={[LONG, ARABIC]} />
      </State>
    </Piece>
    <Piece name="More" about="The end of a list that is read page by page.">
      <State label="more">
        <More pages={pages} label="Older ones" />
      </State>
      <State label="busy">
        <More pages={{ ...pages, isBusy: true }} label="Older ones" />
      </State>
      <State label="error">
        <More pages={{ ...pages, error: 'This page could not be loaded.' }} label="Older ones" />
      </State>
    </Piece>
    <Piece name="Panel" about="A part of a page, in a frame.">
      <State label="idle">
        <Panel>
          <h3>Delete the webhook</h3>
          <Button kind="danger">Delete</Button>
        </Panel>
      </State>
      <State label="long" size="narrow">
        <Panel>
          <p class={styles.broken}>{LONG}</p>
        </Panel>
      </State>
    </Piece>
  </>
);
