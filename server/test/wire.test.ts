import { describe, expect, it } from 'vitest';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';
import { StrictConnection } from './strict-http.ts';

/** What clients get to see of a server that listens: bytes, which tests without a socket never look at. */

describe('the public read of a widget', () => {
  it('has one length, however often it is asked for over one connection', async () => {
    const { url } = await startServerProcess(await serverSettings());
    const path = `/api/v1/widgets/?token=${(await owner(url)).widget}`;
    const connection = await StrictConnection.open(url);
    const bodies = [];
    for (let n = 0; n < 3; n++) bodies.push((await connection.request('GET', path)).body.toString());
    for (let n = 0; n < 3; n++) bodies.push(await (await fetch(url + path)).text());
    expect(new Set(bodies).size).toBe(1);
  });
});
