import { Credentials, Registration } from '@parlor/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { operation } from '../../http/openapi/operation.ts';

const tag = 'Account';

export const accountPaths: ZodOpenApiPathsObject = {
  '/api/v1/auth/register': {
    post: operation({
      id: 'register',
      tag,
      summary: 'Register an account',
      description:
        'Makes the account and its first widget. `REGISTRATION` says who may: by itself everybody until the first account exists and nobody from then on (403), or whoever has an invitation. `Idempotency-Key` is ignored here.',
      callers: ['public'],
      body: Registration,
      errors: [403, 429],
      answers: {
        status: 201,
        description: 'Registered.',
        schema: z.object({ message: z.string().meta({ example: 'User registered successfully.' }) }),
      },
    }),
  },
  '/api/v1/auth/confirmation-mail': {
    post: operation({
      id: 'requestConfirmationMail',
      tag,
      summary: 'Ask for the mail that confirms the e-mail address',
      description:
        'An account that was registered gets mails once somebody opens the link in this mail and presses the button there; registering sends the first one. The answer is the same whether the address is confirmed already, has had its three mails of today, or no mail is sent at all (`SMTP_URL`). At most 5 an hour (`RATE_LIMIT_CONFIRMATION_MAIL`).',
      callers: ['account'],
      answers: {
        status: 202,
        description: 'A mail is on its way, if the address needs one.',
        schema: z.object({
          message: z.string().meta({
            example: 'A mail is on its way, unless the address is confirmed or has had its mails of today.',
          }),
        }),
      },
    }),
  },
  '/api/v1/auth/api-token': {
    post: operation({
      id: 'obtainToken',
      tag,
      summary: 'Obtain the API token, or a new one',
      description:
        'Shows the same token each time; `reset_token: true` makes a new one, and the old one is dead at once.',
      callers: ['public'],
      body: Credentials,
      errors: [429],
      answers: {
        status: 200,
        description: 'The token, for `Authorization: Token <token>`.',
        schema: z.object({
          token: z
            .string()
            .meta({ example: '9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b', pattern: '^[0-9a-f]{40}$' }),
        }),
      },
    }),
  },
};
