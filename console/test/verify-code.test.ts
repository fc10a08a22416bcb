import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CODE_LANGUAGES, type CodeLanguage, VERIFY_CODE } from '../src/webhooks/verify-code.ts';

/** The code that the console shows, in each language that this machine has; the others are told as skipped. */

/** How a language is asked about a request: it prints `true` or `True`. */
const RUNS: Record<CodeLanguage, { command: string[]; file: string; ask: string }> = {
  'Node.js': {
    command: [process.execPath],
    file: 'verify.mjs',
    ask: `
const [secret, headers, body] = process.argv.slice(2);
console.log(verify(secret, JSON.parse(headers), Buffer.from(body)));`,
  },
  Python: {
    command: ['python3'],
    file: 'verify.py',
    ask: `
import json, sys
print(verify(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3].encode()))`,
  },
  PHP: {
    command: ['php'],
    file: 'verify.php',
    ask: 'echo json_encode(verify($argv[1], json_decode($argv[2], true), $argv[3]));',
  },
  Ruby: {
    command: ['ruby'],
    file: 'verify.rb',
    ask: `
require 'json'
puts verify(ARGV[0], JSON.parse(ARGV[1]), ARGV[2])`,
  },
  Go: {
    command: ['go', 'run'],
    file: 'verify.go',
    ask: `
func main() {
	var given map[string]string
	json.Unmarshal([]byte(os.Args[2]), &given)
	headers := http.Header{}
	for name, value := range given {
		headers.Set(name, value)
	}
	fmt.Println(Verify(os.Args[1], headers, []byte(os.Args[3])))
}`,
  },
};

const asProgram = (language: CodeLanguage): string => {
  const code = VERIFY_CODE[language] + RUNS[language].ask;
  if (language !== 'Go') return code;
  return code
    .replace('package webhook', 'package main')
    .replace('import (', 'import (\n"encoding/json"\n"fmt"\n"os"');
};

const isHere = (language: CodeLanguage): boolean => {
  const [command = ''] = RUNS[language].command;
  return spawnSync(command, [language === 'Go' ? 'version' : '--version']).status === 0;
};

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = '{"body":"Grüße ☂ $id #{1} `%s`"}';

/** A request as it comes, and what makes it another one. */
const request = ({ age = 0, secret = SECRET, body = BODY, also = '' } = {}) => {
  const at = new Date(Date.now() - age * 1_000);
  const signature = new Webhook(secret).sign('msg_1', at, body);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': also + signature,
  };
};

const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

describe.each(CODE_LANGUAGES)('%s', (language) => {
  it.skipIf(!isHere(language))('takes what is genuine, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlor-verify-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, RUNS[language].file);
    await writeFile(file, asProgram(language));
    const [command = '', ...before] = RUNS[language].command;
    const verdict = (headers: object): string => {
      const args = [...before, file, SECRET, JSON.stringify(headers), BODY];
      return spawnSync(command, args, { encoding: 'utf8' }).stdout.trim().toLowerCase();
    };
    expect(verdict(request())).toBe('true');
    // While the secret is changed there are two.
    expect(verdict(request({ also: 'v1,AAAA ' }))).toBe('true');
    expect(verdict(request({ secret: OTHER }))).toBe('false');
    expect(verdict(request({ body: `${BODY} ` }))).toBe('false');
    expect(verdict(request({ age: 400 }))).toBe('false');
    expect(verdict({ ...request(), 'webhook-timestamp': '²' })).toBe('false');
    expect(verdict({ accept: '*/*' })).toBe('false');
  });
});
