import { reseal } from '../database/reseal.ts';
import { takeArguments } from './arguments.ts';
import type { ServiceCommand } from './command.ts';

export const keysCommands: Record<string, ServiceCommand> = {
  'keys show': {
    usage: 'keys show',
    meaning: 'prints the fingerprint of SECRET_KEY, by which the key of a database or a copy is known',
    prepare: (args) => {
      takeArguments(args);
      return async ({ secrets }, { print }) => {
        print(`SECRET_KEY ${secrets.keyFingerprint}`);
        if (secrets.previousKeyFingerprint) print(`SECRET_KEY_PREVIOUS ${secrets.previousKeyFingerprint}`);
      };
    },
  },
  'keys rotate': {
    usage: 'keys rotate',
    meaning:
      'seals every token and secret anew with SECRET_KEY, once all servers have it and the old one as ' +
      'SECRET_KEY_PREVIOUS; then that one can go. After an interruption the same command goes on',
    prepare: (args) => {
      takeArguments(args);
      return async (services, { print, progress }) => {
        const { documents, unchanged } = await reseal(services, services.secrets, (state) =>
          progress(`sealing ${state}`),
        );
        print(`${documents} documents sealed anew; ${unchanged} values were so already`);
        print(
          `the database takes the key ${services.secrets.keyFingerprint} alone: remove SECRET_KEY_PREVIOUS`,
        );
        print(
          'what the old key signed ends with it: sessions of visitors, invitations, responses kept for a repeat, Parlor-Client',
        );
      };
    },
  },
};
