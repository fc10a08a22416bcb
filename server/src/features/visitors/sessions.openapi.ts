import { NewVisitorSession, VisitorSession, Widget } from '@parlor/shared';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { deleted, operation } from '../../http/openapi/operation.ts';

const tag = 'Visitors';
const path = { widget_token: Widget.shape.token };

export const sessionPaths: ZodOpenApiPathsObject = {
  '/api/v1/widgets/{widget_token}/sessions/': {
    post: operation({
      id: 'openSession',
      tag,
      summary: 'Open a visitor’s session, or go on with it',
      description:
        'Reserves a room, which exists from the visitor’s first message or lead on. With `Authorization: Visitor` a fresh token for the same room.',
      callers: ['public', 'visitor'],
      path,
      body: NewVisitorSession,
      bodyExample: { page: { url: 'https://shop.example.com/', title: 'Shop', referrer: '' }, locale: 'en' },
      isBodyOptional: true,
      errors: [401, 403, 429],
      answers: { status: 201, description: 'The token of the session.', schema: VisitorSession },
    }),
    delete: operation({
      id: 'eraseSession',
      tag,
      summary: 'Erase what the visitor wrote, and end the session',
      description:
        'The room with its messages and notifications, the leads left in it, kept answers to an Idempotency-Key, and ' +
        'what the session knows of the page and the browser. Deliveries in the log lose what was sent and answered. ' +
        'One that still waits is sent first, since every event is delivered, and loses it then, after 7 days at the ' +
        'latest.',
      callers: ['visitor'],
      path,
      answers: deleted,
    }),
  },
};
