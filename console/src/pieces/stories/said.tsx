import { Avatar, Picture } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Fact, Facts, WebAddress } from '../../ui/facts.tsx';
import { Failed } from '../../ui/failed.tsx';
import { ICONS, Icon, type IconName } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Text } from '../../ui/text.tsx';
import styles from '../pieces.module.css';
import { ARABIC, LONG, PICTURE, UUIDS } from '../samples.ts';
import { Piece, State } from '../state.tsx';

const idle = () => undefined;

/** What is said and shown. */
export const Said = () => (
  <>
    <Piece
      name="Notice"
      about="Said where it happened: an error at once, anything else when there is a pause."
    >
      <State label="error">
        <Notice>The address answers with 500.</Notice>
      </State>
      <State label="good">
        <Notice kind="good">Your system took it in after 48 ms.</Notice>
      </State>
      <State label="plain">
        <Notice kind="plain">It is shown this once.</Notice>
      </State>
      <State label="long" size="narrow">
        <Notice>{`It says: ${LONG}`}</Notice>
      </State>
      <State label="right to left">
        <Notice kind="plain">{ARABIC}</Notice>
      </State>
    </Piece>
    <Piece name="Failed" about="Why something could not be read, and the way to read it again.">
      <State label="idle">
        <Failed error="This page could not be loaded." onRetry={idle} />
      </State>
      <State label="narrow" size="narrow">
        <Failed error="This page could not be loaded." onRetry={idle} />
      </State>
    </Piece>
    <Piece name="Empty" about="Where there is nothing yet: what it is for, and what to do.">
      <State label="with a way out" size="wide">
        <Empty title="No webhooks yet" hint="A webhook tells your own system what happens here.">
          <Button kind="primary">Add a webhook</Button>
        </Empty>
      </State>
      <State label="nothing found">
        <Empty title="Nothing found" hint="Try fewer or other words." />
      </State>
    </Piece>
    <Piece name="Avatar" about="Stands for a person whose name is said beside it.">
      <State label="a few">
        <span class={styles.line}>
          <Avatar uuid={UUIDS.grace} name="Grace Hopper" />
          <Avatar uuid={UUIDS.hedy} name="Hedy" />
          <Avatar uuid={UUIDS.room} name="ada@example.com" />
          <Avatar uuid={UUIDS.quietRoom} name="محمد علي" />
          <Avatar uuid={UUIDS.brokenRoom} name="李 明" />
        </span>
      </State>
      <State label="small and large">
        <span class={styles.line}>
          <Avatar uuid={UUIDS.grace} name="Grace Hopper" size={20} />
          <Avatar uuid={UUIDS.grace} name="Grace Hopper" size={48} />
        </span>
      </State>
    </Piece>
    <Piece
      name="Picture"
      about="A member’s picture, where there is one that loads; else what is given for it."
    >
      <State label="square, beside a name">
        <span class={styles.line}>
          <Picture address={PICTURE} /> Grace Hopper
        </span>
      </State>
      <State label="in the place of initials">
        <span class={styles.line}>
          <Avatar uuid={UUIDS.grace} name="Grace Hopper" picture={PICTURE} size={20} />
          <Avatar uuid={UUIDS.grace} name="Grace Hopper" picture={PICTURE} />
          <Avatar uuid={UUIDS.grace} name="Grace Hopper" picture={PICTURE} size={48} />
        </span>
      </State>
      <State label="gone">
        <span class={styles.line}>
          <Avatar uuid={UUIDS.grace} name="Grace Hopper" picture="/console/no-such-picture.png" />
          <Picture address="/console/no-such-picture.png" /> Hedy
        </span>
      </State>
    </Piece>
    <Piece
      name="Icon"
      about="Beside words, or for a label that is said otherwise; arrows turn around from right to left."
    >
      <State label="all" size="wide">
        <ul class={styles.icons}>
          {(Object.keys(ICONS) as IconName[]).map((name) => (
            <li key={name}>
              <Icon name={name} />
              {name}
            </li>
          ))}
        </ul>
      </State>
    </Piece>
    <Piece name="Text" about="What visitors write: always text, its addresses as links.">
      <State label="with an address">
        <p>
          <Text text="It leaves today: https://parcels.example.com/track/4711" />
        </p>
      </State>
      <State label="what looks like HTML">
        <p>
          <Text text={'<img src=x onerror="alert(1)"> & <b>bold</b>'} />
        </p>
      </State>
    </Piece>
    <Piece name="Facts" about="What is known of something, each with its name.">
      <State label="idle">
        <Facts>
          <Fact label="E-mail">ada@example.com</Fact>
          <Fact label="Phone">+49 30 901820</Fact>
        </Facts>
      </State>
      <State label="long" size="narrow">
        <Facts>
          <Fact label="Referrer">{`https://search.example.com/?q=${LONG}`}</Fact>
        </Facts>
      </State>
    </Piece>
    <Piece name="Fact" about="One of them; nothing where it is not known.">
      <State label="known">
        <Facts>
          <Fact label="Language">German</Fact>
        </Facts>
      </State>
    </Piece>
    <Piece
      name="WebAddress"
      about="An address without what every one has; no link where it is none of the web."
    >
      <State label="with a title">
        <WebAddress url="https://shop.example.com/lamps" title="Lamps" />
      </State>
      <State label="bare">
        <WebAddress url="https://shop.example.com/lamps" />
      </State>
      <State label="none of the web">
        <WebAddress url="javascript:alert(1)" />
      </State>
    </Piece>
  </>
);
