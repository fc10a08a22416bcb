import { describe, expect, it } from 'vitest';
import { isTrial, loadConfig } from './config.ts';

describe('trial mode', () => {
  it.each([
    ['nothing set', {}, true],
    ['HOST=localhost', { HOST: 'localhost' }, true],
    ['HOST=::1', { HOST: '::1' }, true],
    ['HOST=127.0.0.2', { HOST: '127.0.0.2' }, true],
    ['HOST=0.0.0.0', { HOST: '0.0.0.0' }, false],
    ['HOST=::', { HOST: '::' }, false],
    ['an empty HOST', { HOST: '' }, false],
    ['a name for HOST', { HOST: 'localhost.example.com' }, false],
    ['a PUBLIC_URL', { PUBLIC_URL: 'https://chat.example.com' }, false],
    ['a MONGODB_URL', { MONGODB_URL: 'mongodb://127.0.0.1', SECRET_KEY: 'x'.repeat(32) }, false],
  ])('with %s: %o is %s', (_, env: Record<string, string>, expected) => {
    expect(isTrial(loadConfig(env))).toBe(expected);
  });
});
