import { randomUUID } from 'node:crypto';
import { inject as injectRequest } from 'light-my-request';
import mongoose from 'mongoose';
import { afterAll, beforeAll, inject } from 'vitest';
import { createApp } from '../src/app.ts';
import { createServices, type Services } from '../src/compose.ts';
import { createIndexes } from '../src/create-indexes.ts';
import { loadConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import { giveBackDatabase, takeDatabase } from './databases.ts';
import { mediaTypeOf } from './pictures.ts';
import { refuseMadeUp } from './strict-http.ts';

/** What a request may carry beside its method and path. */
export interface RequestOptions {
  token?: string;
  visitor?: string;
  headers?: Record<string, string>;
  /** Sent as JSON; a string or Buffer as it is, a PNG as one and others as JSON unless `headers` says otherwise. */
  body?: unknown;
}

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  json: any;
  text: string;
}

export interface TestApp {
  services: Services;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Registers an account of its own and gives its token, id and widget's token. */
  account(): Promise<{ token: string; id: string; username: string; widget: string }>;
  /** Opens a visitor's session on a widget. */
  session(widget: string): Promise<{ visitor: string; room: { uuid: string; label: string } }>;
}

/**
 * The whole app on a database of its own, without a port; made before the file's tests and gone after them.
 * @param database gives the URL of the database, where that is not the run's
 */
export const testApp = (
  env: Record<string, string> = {},
  database: () => string | Promise<string> = () => inject('mongodbUrl'),
): TestApp => {
  const app = {} as TestApp;
  const connection = mongoose.createConnection();
  let dbName = '';

  beforeAll(async () => {
    const config = loadConfig({
      LOG_LEVEL: 'silent',
      RATE_LIMIT: 'off',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...env,
    });
    dbName = await takeDatabase();
    await connection.openUri(await database(), {
      dbName,
      autoIndex: false,
      autoCreate: false,
      // The driver tells what it sends: explain.test.ts asks for the plan of each query.
      monitorCommands: true,
    });
    await createIndexes(config, connection, createLog('silent'));
    const services = await createServices(
      config,
      connection,
      'a secret key for the tests only, 40 long',
      createLog('silent'),
    );
    await services.start();
    const handler = createApp(services).callback();

    app.services = services;
    app.request = async (method, path, { token, visitor, headers = {}, body } = {}) => {
      const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
      const answer = await injectRequest(handler, {
        method: method as 'GET',
        url: path,
        headers: {
          ...(body !== undefined && { 'content-type': mediaTypeOf(body) }),
          ...(token !== undefined && { authorization: `Token ${token}` }),
          ...(visitor !== undefined && { authorization: `Visitor ${visitor}` }),
          ...headers,
        },
        ...(body !== undefined && { payload: isRaw ? (body as string) : JSON.stringify(body) }),
      });
      refuseMadeUp(answer.headers);
      const text = answer.payload;
      const isJson = /\bjson/.test(String(answer.headers['content-type'] ?? '')) && text !== '';
      return {
        status: answer.statusCode,
        headers: answer.headers as Answer['headers'],
        json: isJson ? JSON.parse(text) : undefined,
        text,
      };
    };
    app.account = async () => {
      const username = `user-${randomUUID().slice(0, 8)}`;
      const password = 'a long enough secret';
      await app.request('POST', '/api/v1/auth/register', {
        body: { username, email: `${username}@example.com`, password, password2: password },
      });
      const { json } = await app.request('POST', '/api/v1/auth/api-token', { body: { username, password } });
      const account = await services.accounts.byUsername(username);
      const widget = await services.widgets.firstOf(account?._id ?? '');
      return { token: json.token, id: account?._id ?? '', username, widget: widget?.token ?? '' };
    };
    app.session = async (widget) => {
      const { json } = await app.request('POST', `/api/v1/widgets/${widget}/sessions/`, { body: {} });
      return { visitor: json.token, room: json.room };
    };
  });

  afterAll(async () => {
    await app.services?.stop();
    await connection.close();
    giveBackDatabase(dbName);
  });

  return app;
};
