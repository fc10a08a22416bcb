import type { Reply } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import { asReply, useNewReply, useReply } from './kept-reply.ts';
import styles from './replies.module.css';
import { ReplyForm } from './reply-form.tsx';

interface Props {
  onClose(): void;
  onChanged(): void;
}

/** Takes a reply away for everybody, when that was said twice. */
const Removal = ({ reply, onRemoved }: { reply: Reply; onRemoved(): void }) => {
  const [isAsking, setAsking] = useState(false);
  const { onSubmit, isBusy, message } = useForm(async () => {
    await ask('DELETE', `replies/${reply.uuid}/`).catch((error) => {
      // Somebody else has just done it.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
    onRemoved();
  });
  return (
    <form class={styles.removal} onSubmit={onSubmit}>
      <Notice>{message}</Notice>
      {isAsking ? (
        <Button type="submit" kind="danger" isBusy={isBusy}>
          {words.value.replies.reallyRemove}
        </Button>
      ) : (
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {words.value.common.remove}
        </Button>
      )}
    </form>
  );
};

/** A new saved reply. What is written is kept until it is saved or closed. */
export const AddReply = ({ onClose, onChanged }: Props) => {
  const { edit, type, forget } = useNewReply();
  const { create } = useCreation();
  const close = () => {
    forget();
    onClose();
  };
  const form = useForm(async () => {
    await create('replies/', asReply(edit.mine));
    onChanged();
    close();
  });
  return (
    <Dialog title={words.value.replies.add} onClose={close}>
      <ReplyForm form={form} edit={edit} type={type} />
    </Dialog>
  );
};

/** A saved reply that is there, to be changed while others may change it, too. What is written is kept likewise. */
export const ChangeReply = ({ reply, onClose, onChanged }: Props & { reply: Reply }) => {
  const { edit, type, take, save, forget } = useReply(reply);
  const close = () => {
    forget();
    onClose();
  };
  const changed = () => {
    onChanged();
    close();
  };
  const form = useForm(async () => {
    if (await save()) changed();
  });
  return (
    <Dialog title={words.value.replies.change} onClose={close}>
      <ReplyForm form={form} edit={edit} type={type} take={take} />
      <Removal reply={reply} onRemoved={changed} />
    </Dialog>
  );
};
