import { useState } from 'preact/hooks';
import { webhookWords } from '../locale/webhooks.ts';
import { Section } from '../shell/page.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Select } from '../ui/select.tsx';
import { CODE_LANGUAGES, type CodeLanguage, VERIFY_CODE } from './verify-code.ts';
import styles from './webhook.module.css';

/** Code to take along that checks signatures. */
export const Verify = () => {
  const t = webhookWords.value;
  const [language, setLanguage] = useState<CodeLanguage>('Node.js');
  return (
    <Section title={t.verify} hint={t.verifyHint}>
      <div class={styles.choice}>
        <Select
          label={t.language}
          value={language}
          options={CODE_LANGUAGES.map((one) => [one, one])}
          onChoose={(one) => setLanguage(one as CodeLanguage)}
        />
      </div>
      <Copyable isCode key={language} label={t.code(language)} text={VERIFY_CODE[language]} />
    </Section>
  );
};
