import { NewWidget, Widget } from '@parlor/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { exampleOf } from '../../http/openapi/example.ts';
import { created, deleted, listQuery, operation, patchOf, shown } from '../../http/openapi/operation.ts';

const tag = 'Widgets';
const callers = ['account'] as const;
const LOCALES_QUERY = z.string().optional().meta({
  description: 'Language tags in the order of preference, with commas between them.',
  example: 'de-AT,de,en',
});
const path = { widget_token: Widget.shape.token };

export const widgetPaths: ZodOpenApiPathsObject = {
  '/api/v1/widgets/': {
    get: operation({
      id: 'retrieveWidget',
      tag,
      summary: 'The settings of one widget, or with Authorization your widgets',
      description:
        'With `token` it is public, cached, and answers browsers of the origins that `domain` allows; the 403 that others get, and the 404 for an unknown token, can be read by any page. Texts that the owner has not written come filled, in the first language of `locale` that the widget speaks, else in English; with the owner’s Authorization they come as they are stored. Without `token` it needs Authorization and lists the account’s widgets.',
      callers: ['public', 'account'],
      query: { token: Widget.shape.token.optional(), locale: LOCALES_QUERY, ...listQuery },
      condition: 'read',
      errors: [401, 403, 404, 429],
      answers: {
        status: 200,
        description: 'The widget; a list of widgets without `token`.',
        schema: z.union([Widget, z.array(Widget)]),
        example: exampleOf(Widget),
        headers: ['ETag', 'Link'],
      },
    }),
    post: operation({
      id: 'createWidget',
      tag,
      summary: 'Make one more widget',
      description: 'Every field has a default; its `token` is for the script tag. At most 100 an account.',
      callers,
      body: NewWidget,
      bodyExample: { name: 'Shop', domain: 'https://shop.example.com', color: '#0f766e' },
      isBodyOptional: true,
      isIdempotent: true,
      answers: created(Widget),
    }),
  },
  '/api/v1/widgets/{widget_token}/': {
    put: operation({
      id: 'updateWidget',
      tag,
      summary: 'Replace all fields',
      description: 'What is not sent goes back to its default. Open pages follow within half a minute.',
      callers,
      path,
      body: NewWidget,
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Widget),
    }),
    patch: operation({
      id: 'changeWidget',
      tag,
      summary: 'Change one or some fields',
      description: 'What is not sent stays. Open pages follow within half a minute.',
      callers,
      path,
      body: patchOf(NewWidget, 'WidgetPatch'),
      bodyExample: { header_title: 'Ask us anything' },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Widget),
    }),
    delete: operation({
      id: 'deleteWidget',
      tag,
      summary: 'Delete a widget',
      description: 'Its visitors’ tokens are dead with it.',
      callers,
      path,
      condition: 'write',
      answers: deleted,
    }),
  },
};
