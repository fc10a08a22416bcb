import type { RecoveryCodes } from '@parlor/shared';
import { signal } from '@preact/signals';
import type { z } from 'zod';
import { words } from '../locale/locale.ts';
import { checkMember, me } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { askToStay } from '../ui/leaving.ts';
import styles from './second-factor.module.css';

export type Codes = z.infer<typeof RecoveryCodes>['recovery_codes'];

/** What the server has just told, and will not tell again, until the member has kept it. */
const shown = signal<Codes | undefined>(undefined);

/** Shows recovery codes until the member says that it has kept them. */
export const showRecoveryCodes = (codes: Codes): void => {
  shown.value = codes;
};

const keptThem = (): void => {
  shown.value = undefined;
  if (me.value) me.value = { ...me.value, has_totp: true };
  // Somebody else may have signed in in another page, and who was asked then has stayed for the codes.
  void checkMember();
};

askToStay(() => shown.value !== undefined, false);

const Shown = ({ codes }: { codes: Codes }) => {
  const t = words.value.security;
  return (
    <Dialog title={t.recovery}>
      <div class={styles.form}>
        <p>{t.recoveryHint}</p>
        <Copyable label={t.recovery} text={codes.join('\n')} />
        <Button kind="primary" onClick={keptThem}>
          {t.recoveryDone}
        </Button>
      </div>
    </Dialog>
  );
};

/** New recovery codes, whichever page stands behind them: who has a second factor now may be led to another one. */
export const NewRecoveryCodes = () => shown.value && <Shown codes={shown.value} />;
