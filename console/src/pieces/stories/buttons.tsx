import { BackLink } from '../../ui/back-link.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { IconButton, IconLink } from '../../ui/icon-button.tsx';
import { Piece, State } from '../state.tsx';

const KINDS = ['primary', 'plain', 'quiet', 'danger'] as const;

/** What is pressed. */
export const Buttons = () => (
  <>
    <Piece name="Button" about="Does something. Primary is what a page is for, and stands there once.">
      {KINDS.map((kind) => (
        <State key={kind} label={kind}>
          <Button kind={kind}>Save</Button>
        </State>
      ))}
      {KINDS.map((kind) => (
        <State key={kind} label={`${kind}, hovered`} pretended="hover">
          <Button kind={kind}>Save</Button>
        </State>
      ))}
      <State label="focused" pretended="focus-visible">
        <Button kind="primary">Save</Button>
      </State>
      <State label="busy">
        <Button kind="primary" isBusy>
          Save
        </Button>{' '}
        <Button isBusy>Refresh</Button>
      </State>
      <State label="disabled">
        <Button kind="primary" disabled>
          Save
        </Button>{' '}
        <Button disabled>Refresh</Button>
      </State>
      <State label="long">
        <Button>Send all failed ones again</Button>
      </State>
      <State label="right to left">
        <Button kind="primary">حفظ</Button>
      </State>
    </Piece>
    <Piece name="ButtonLink" about="Leads out of the console, such as to the provider that one signs in at.">
      <State label="idle">
        <ButtonLink href="#ButtonLink">Continue with Example</ButtonLink>
      </State>
      <State label="hovered" pretended="hover">
        <ButtonLink href="#ButtonLink">Continue with Example</ButtonLink>
      </State>
      <State label="focused" pretended="focus-visible">
        <ButtonLink href="#ButtonLink">Continue with Example</ButtonLink>
      </State>
    </Piece>
    <Piece name="IconButton" about="A button with an icon alone, where room is short and the icon is known.">
      <State label="idle">
        <IconButton icon="more" label="Change" />
      </State>
      <State label="hovered" pretended="hover">
        <IconButton icon="more" label="Change" />
      </State>
      <State label="focused" pretended="focus-visible">
        <IconButton icon="close" label="Remove" />
      </State>
      <State label="disabled">
        <IconButton icon="undo" label="Undo" disabled />
      </State>
    </Piece>
    <Piece name="IconLink" about="The same as a link, such as back to a list.">
      <State label="idle">
        <IconLink icon="back" label="Back" href="#IconLink" />
      </State>
      <State label="hovered" pretended="hover">
        <IconLink icon="back" label="Back" href="#IconLink" />
      </State>
    </Piece>
    <Piece name="BackLink" about="Under the title of a page, to the list that it is of.">
      <State label="idle">
        <BackLink href="#BackLink">All webhooks</BackLink>
      </State>
      <State label="focused" pretended="focus-visible">
        <BackLink href="#BackLink">All webhooks</BackLink>
      </State>
    </Piece>
  </>
);
