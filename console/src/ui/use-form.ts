import type { TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { words } from '../locale/locale.ts';

/** What the server has said of a form's last sending. */
interface Refusal {
  message: string;
  fields: Readonly<Record<string, string>>;
}

const NOTHING: Refusal = { message: '', fields: {} };

const refusalOf = (error: unknown): Refusal => {
  const { errors } = words.value;
  if (!(error instanceof ApiError)) return { message: errors.unexpected, fields: {} };
  if (error.status === 429) return { message: errors.throttled(error.retryAfter), fields: {} };
  if (error.status === 0) return { message: errors.unreachable, fields: {} };
  const isSilent = error.message === '' && Object.keys(error.fields).length === 0;
  return { message: isSilent ? errors.unexpected : error.message, fields: error.fields };
};

/** The texts of a form by the names of its fields. */
export const valuesOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/**
 * A form that is sent once at a time, keeps what was typed when it is refused, and puts the focus on the first field
 * with an error.
 * @param send gets the form's texts by name; what it throws is shown
 */
export const useForm = (send: (values: Readonly<Record<string, string>>) => Promise<void>) => {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState(NOTHING);
  const underWay = useRef(false);
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (underWay.current) return;
    underWay.current = true;
    setBusy(true);
    setRefusal(NOTHING);
    const values = valuesOf(form);
    try {
      await send(values);
    } catch (error) {
      if (!(error instanceof ApiError)) console.error(error);
      setRefusal(refusalOf(error));
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus());
    } finally {
      underWay.current = false;
      setBusy(false);
    }
  };
  return { onSubmit, isBusy, message: refusal.message, fields: refusal.fields };
};
