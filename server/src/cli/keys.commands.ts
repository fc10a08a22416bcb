import type { Services } from '../compose.ts';
import { DatabaseError } from '../database/database-error.ts';
import { reseal, type Unopened } from '../database/reseal.ts';
import { keptKey } from '../database/secret-key-file.ts';
import { requireKeyOfServers } from '../jobs/servers-keys.ts';
import { isOnlyProcess } from '../platform/config.ts';
import { takeArguments } from './arguments.ts';
import type { ServiceCommand } from './command.ts';

/**
 * On a MongoDB, whose servers and commands run beside this one: one that lacks the key would open nothing any more.
 * @throws DatabaseError where one that is alive has another SECRET_KEY
 */
const checkServers = async (
  { config, models, secrets }: Services,
  progress: (state: string) => void,
): Promise<void> => {
  if (isOnlyProcess(config)) return;
  await requireKeyOfServers(models.webhookSenders, secrets.keyFingerprint, progress);
};

/** What is left where some values open by neither key. */
const unopenedError = ({ count, named, keys }: Unopened): DatabaseError => {
  const more = count > named.length ? [`and ${count - named.length} more`] : [];
  const left = `opened by neither key, and left as they are: ${[...named, ...more].join(', ')}`;
  if (keys.length > 0)
    return new DatabaseError(
      `${left}. What of it is not damaged needs the key with the fingerprint ${keys.join(' or ')}: ` +
        'give the command again with that one as SECRET_KEY_PREVIOUS',
    );
  return new DatabaseError(
    `${left}. It is damaged: what each belongs to fails where that is needed, until it gets a new one`,
  );
};

export const keysCommands: Record<string, ServiceCommand> = {
  'keys show': {
    usage: 'keys show',
    byKeys: true,
    meaning: 'prints the fingerprint of SECRET_KEY, by which the key of a database or a copy is known',
    prepare: (args) => {
      takeArguments(args);
      return async (services, { print, progress }) => {
        const { secrets } = services;
        await checkServers(services, progress);
        print(`SECRET_KEY ${secrets.keyFingerprint}`);
        if (secrets.previousKeyFingerprint) print(`SECRET_KEY_PREVIOUS ${secrets.previousKeyFingerprint}`);
      };
    },
  },
  'keys rotate': {
    usage: 'keys rotate',
    byKeys: true,
    meaning:
      'seals every token and secret anew with SECRET_KEY, once all servers have it and the old one as ' +
      'SECRET_KEY_PREVIOUS; then that one can go. After an interruption the same command goes on. What opens by neither ' +
      'key stays as it is and is named at the end; exit code 1 then',
    prepare: (args) => {
      takeArguments(args);
      return async (services, { print, progress }) => {
        const { documents, unchanged, unopened } = await reseal(
          services,
          services.secrets.sealingByCurrent(),
          (state) => progress(`sealing ${state}`),
          () => checkServers(services, progress),
        );
        print(`${documents} documents sealed anew; ${unchanged} values were so already`);
        if (unopened && unopened.keys.length > 0) throw unopenedError(unopened);
        const { keyFingerprint, previousKeyFingerprint } = services.secrets;
        const kept = await keptKey(services.config);
        const isOtherKept = kept !== undefined && kept.fingerprint !== keyFingerprint;
        const alone = `the database takes the key ${keyFingerprint} alone`;
        if (previousKeyFingerprint !== undefined) print(`${alone}: remove SECRET_KEY_PREVIOUS`);
        else
          print(isOtherKept ? alone : `${alone}, and SECRET_KEY_PREVIOUS is not set: there is nothing to do`);
        if (isOtherKept)
          print(
            `${kept.file} still holds another key (${kept.fingerprint}), of which nothing is left here: remove it and go on ` +
              'setting SECRET_KEY, or put that one into it',
          );
        if (previousKeyFingerprint !== undefined)
          print(
            'what the old key signed ends with it: sessions of visitors, invitations, responses kept for a repeat, Parlor-Client',
          );
        if (unopened) throw unopenedError(unopened);
      };
    },
  },
};
