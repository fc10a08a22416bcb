import { ConfigError, describeConfig } from '../config.ts';
import { DatabaseError } from '../database/connect.ts';
import { accountCommands } from './account.commands.ts';
import { type Command, print, takeArguments, UsageError } from './command.ts';
import { copyCommands } from './copy.commands.ts';
import { databaseCommands } from './database.commands.ts';

/** Every command by its words; a new one is added here and nowhere else. */
const COMMANDS: Record<string, Command> = {
  ...accountCommands,
  ...copyCommands,
  ...databaseCommands,
  config: {
    usage: 'config',
    meaning: 'prints every environment variable with its value in force and its meaning',
    run: async (args) => {
      takeArguments(args);
      print(describeConfig(process.env));
    },
  },
};

const help = (): string =>
  [
    'usage: npm run parlor -- COMMAND',
    '',
    ...Object.values(COMMANDS).map(({ usage, meaning }) => `  ${usage}\n      ${meaning}`),
    '',
    'The commands work on the database of the environment (MONGODB_URL, else DATA_DIR), as the server does.',
    'An embedded database is used by one process at a time: stop the server first.',
  ].join('\n');

/** The command that the first words name, and the arguments after them. */
const findCommand = (words: readonly string[]): [Command, string[]] | undefined => {
  for (const length of [2, 1]) {
    const command = COMMANDS[words.slice(0, length).join(' ')];
    if (command) return [command, words.slice(length)];
  }
  return undefined;
};

const run = async (words: readonly string[]): Promise<void> => {
  if (words.length === 0 || ['help', '--help', '-h'].includes(words[0] ?? '')) return print(help());
  const found = findCommand(words);
  if (!found) throw new UsageError(`unknown command "${words.join(' ')}"; "help" shows all`);
  const [command, args] = found;
  try {
    await command.run(args);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message}\nusage: ${command.usage}`);
    throw error;
  }
};

try {
  await run(process.argv.slice(2));
} catch (error) {
  const isClear =
    error instanceof UsageError || error instanceof ConfigError || error instanceof DatabaseError;
  process.stderr.write(`${isClear ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
