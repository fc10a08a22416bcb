import { toldToOperator } from '../database/database-error.ts';
import { ConfigError, describeConfig, loadConfig } from '../platform/config.ts';
import { takeArguments, UsageError } from './arguments.ts';
import { type Command, findCommand } from './command.ts';
import { SERVICE_COMMANDS } from './command-server.ts';
import { databaseCommands } from './database.commands.ts';
import { takenByNpm } from './npm-options.ts';
import { print } from './progress.ts';
import { runWithServices } from './with-services.ts';

/** The commands that need no services, by their words. */
const COMMANDS: Readonly<Record<string, Command>> = {
  ...databaseCommands,
  config: {
    usage: 'config',
    meaning:
      'prints every environment variable with its value and its meaning, and fails where a start would refuse one',
    run: async (args) => {
      takeArguments(args);
      print(describeConfig(process.env));
      loadConfig(process.env);
    },
  },
};

const help = (): string =>
  [
    'usage: npm run parlor -- COMMAND',
    '',
    ...[...Object.values(SERVICE_COMMANDS), ...Object.values(COMMANDS)].map(
      ({ usage, meaning }) => `  ${usage}\n      ${meaning}`,
    ),
    '',
    'A name that begins with "-" goes behind another "--", as in: npm run parlor -- account token -- -bob',
    'The commands work on the database of the environment (MONGODB_URL, else DATA_DIR), as the server does.',
    'Where a server runs on an embedded database, it runs account, member, export, import and backup itself; for the commands on',
    'the database, stop it first.',
  ].join('\n');

const run = async (words: readonly string[]): Promise<void> => {
  const taken = takenByNpm({ ...SERVICE_COMMANDS, ...COMMANDS }, words, process.env);
  if (taken !== undefined) throw new UsageError(taken);
  if (words.length === 0 || ['help', '--help', '-h'].includes(words[0] ?? '')) return print(help());
  const here = findCommand(COMMANDS, words);
  const served = findCommand(SERVICE_COMMANDS, words);
  try {
    if (here) await here[0].run(here[1]);
    else if (served) await runWithServices(words, ...served);
    else throw new UsageError(`unknown command "${words.join(' ')}"; "help" shows all`);
  } catch (error) {
    const usage = (here ?? served)?.[0].usage;
    if (error instanceof UsageError && usage) throw new UsageError(`${error.message}\nusage: ${usage}`);
    throw error;
  }
};

// A result that nobody gets is no success; progress that nobody sees does not keep a command from its end.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.stderr.write(`the result can't be printed: ${code}\n`);
  process.exitCode = 1;
});
process.stderr.on('error', () => undefined);

try {
  await run(process.argv.slice(2));
} catch (error) {
  const isOwn = error instanceof UsageError || error instanceof ConfigError;
  const told = isOwn ? error.message : toldToOperator(error);
  const text = `${told ?? (error as Error).stack}\n`;
  // Everything is closed by now; but the driver of a MongoDB that is frozen would keep the process for 30 s more.
  process.stdout.write('', () => process.stderr.write(text, () => process.exit(1)));
}
