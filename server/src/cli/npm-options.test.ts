import { describe, expect, it } from 'vitest';
import { takenByNpm } from './npm-options.ts';

const COMMANDS = {
  'account create': { usage: 'account create USERNAME EMAIL [--password-stdin]' },
  'account delete': { usage: 'account delete USERNAME --yes' },
  'account token': { usage: 'account token USERNAME [--reset]' },
  'database copy': { usage: 'database copy --to MONGODB_URL | --from MONGODB_URL' },
};

const taken = (words: string, env: Record<string, string>) =>
  takenByNpm(COMMANDS, words.split(' '), { npm_lifecycle_event: 'parlor', ...env });

describe('options that npm took', () => {
  it.each([
    ['account token ada', { npm_config_reset: 'true' }, '--reset'],
    ['account create ada ada@example.com', { npm_config_password_stdin: 'true' }, '--password-stdin'],
    ['database copy', { npm_config_to: 'mongodb://127.0.0.1/' }, '--to'],
    ['database copy mongodb://127.0.0.1/', { npm_config_from: 'true' }, '--from'],
    // One that the command does not know, either.
    ['account delete ada --yes', { npm_config_reset: 'true' }, '--reset'],
  ])('%s is refused', (words, env, option) => {
    expect(taken(words, env)).toBe(
      `${option} is npm's as it stands, and the command has not seen it: put "--" first, as in "npm run --silent parlor -- ${words} …"`,
    );
  });

  // They may be set for npm where the "--" stands, too.
  it("which are npm's, too, are refused with where they go", () => {
    expect(taken('account delete ada', { npm_config_yes: 'true' })).toBe(
      `--yes is npm's as it stands, and the command has not seen it: put it behind the "--", as in "npm run --silent parlor -- account delete ada --yes"`,
    );
  });

  it.each([
    ['account token ada --reset', { npm_config_reset: 'true' }],
    ['account token ada', { npm_config_reset: '' }],
    // As in an .npmrc, or the environment of a CI.
    ['account token ada', { npm_config_yes: 'true', npm_config_loglevel: 'silent' }],
    ['account delete ada --yes', { npm_config_yes: 'true' }],
    // Of another script that runs this one by itself.
    ['account token ada', { npm_config_reset: 'true', npm_lifecycle_event: 'deploy' }],
  ])('%s goes on', (words, env) => {
    expect(taken(words, env)).toBeUndefined();
  });
});
