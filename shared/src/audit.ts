import { z } from 'zod';
import { choice, datetime, uuid } from './fields.ts';

/**
 * Who did something: a member; a program with a token that a member made; a visitor; whoever failed to sign in; the
 * command line; the server by itself.
 */
export const ACTOR_KINDS = ['member', 'program', 'visitor', 'unknown', 'cli', 'system'] as const;

/** What entries of the audit trail are about. */
export const AUDITED_KINDS = [
  'account',
  'member',
  'session',
  'token',
  'widget',
  'webhook',
  'keyword',
  'workflow',
  'room',
  'lead',
  'reply',
] as const;
export type AuditedKind = (typeof AUDITED_KINDS)[number];

/** The longest text of an entry, in characters; longer ones are cut. */
export const MAX_AUDIT_TEXT = 150;

const shownText = () => z.string().meta({ maxLength: MAX_AUDIT_TEXT });

const shownValue = () =>
  z.string().nullable().meta({
    maxLength: MAX_AUDIT_TEXT,
    description: 'As text; null where there was none, and where it is not shown. Secrets never are.',
    example: 'operator',
  });

export const FieldChange = z
  .object({ field: z.string().meta({ example: 'role' }), from: shownValue(), to: shownValue() })
  .meta({ id: 'FieldChange' });
export type FieldChange = z.infer<typeof FieldChange>;

/** Who did what from where, on which object (docs/contract.md#audit-trail). */
export const AuditEntry = z
  .object({
    uuid: uuid(),
    at: datetime(),
    last_at: datetime().meta({
      description:
        'When it happened last; `at`, but for sign-ins, of which an hour’s from one address are one.',
    }),
    count: z.int().meta({ description: 'How often it happened; 1, but for sign-ins.', example: 1 }),
    actor: z.object({
      kind: choice(ACTOR_KINDS),
      uuid: uuid().nullable().meta({ description: 'The member’s, also where a program did it; else null.' }),
      name: shownText().meta({ description: 'Its username at that time.', example: 'ada' }),
      token: shownText()
        .nullable()
        .meta({ description: 'What the program’s token is called; else null.', example: null }),
    }),
    address: z.string().nullable().meta({
      description: 'IPv4 or IPv6; null where it is not known. Never a visitor’s.',
      example: '203.0.113.7',
    }),
    action: z.string().meta({
      description: 'The operation by its id in this document, or the words of the command.',
      example: 'changeMember',
    }),
    object: z.object({
      kind: choice(AUDITED_KINDS),
      uuid: uuid(),
      label: shownText().meta({
        description: 'What it was called; empty for rooms and leads, which are about visitors.',
        example: 'grace',
      }),
    }),
    changes: z.array(FieldChange).meta({ description: 'Which fields changed.' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;
