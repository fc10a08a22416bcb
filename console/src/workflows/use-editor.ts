import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { toast } from '../ui/toast.tsx';
import type { Editor } from './editor.ts';

/** How often it is looked whether somebody else has saved, while the page is seen (milliseconds). */
const LOOK_EVERY_MS = 20_000;

const whyNot = ({ status, message, fields, retryAfter }: ApiError): string => {
  const { errors } = words.value;
  if (status === 429) return errors.throttled(retryAfter);
  if (status === 0) return errors.unreachable;
  if (message !== '') return message;
  return fields.nodes ?? fields.name ?? (status === 400 ? workflowWords.value.notSaved : errors.unexpected);
};

/** Keeps what is edited, looks for what others save, and saves; what went wrong is told. */
export const useEditor = (editor: Editor) => {
  const t = workflowWords.value;
  const [error, setError] = useState('');
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible' || editor.isBusy.value) return;
      editor.look().then(
        (isShown) => isShown && toast(workflowWords.value.adopted),
        // Told when it is saved.
        () => undefined,
      );
    };
    const keep = () => editor.keepNow();
    const timer = setInterval(look, LOOK_EVERY_MS);
    document.addEventListener('visibilitychange', look);
    addEventListener('pagehide', keep);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      removeEventListener('pagehide', keep);
      keep();
    };
  }, [editor]);

  const run = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setError('');
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(whyNot(failure));
      return undefined;
    }
  };
  const tell = (isSaved: boolean | undefined): void => {
    if (isSaved) toast(words.value.common.saved);
  };
  return {
    error,
    save: async () => tell(await run(() => editor.save())),
    saveMine: async () => tell(await run(() => editor.saveMine())),
    set: async (wanted: Parameters<Editor['set']>[0]) => {
      await run(() => editor.set(wanted));
      const { is_published } = editor.saved.value.object;
      if (wanted.is_published === is_published) toast(is_published ? t.isNowPublished : t.isNowDraft);
    },
  };
};
