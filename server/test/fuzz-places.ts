import { type Operation, type Parameter, resolved } from './openapi.ts';
import { type TextField, textFields } from './text-fields.ts';

/** What an operation is asked with: each kind that the document names for it. */
export type Caller = Operation['callers'][number];

/** Where in a request a text may stand, and who sends it. */
export interface Place {
  operation: Operation;
  caller: Caller;
  /** As in `createLead, body: nickname`. */
  name: string;
  where:
    | { kind: 'body'; field: TextField }
    | { kind: 'unknown field' }
    | { kind: 'bytes'; type: string }
    | { kind: 'parameter'; parameter: Parameter }
    | { kind: 'unknown parameter' };
}

/** Members are let in by one or the other, and are the same people then. */
const MEMBERS: readonly Caller[] = ['Token', 'Session'];

/** Where texts may stand in an operation, whoever asks. */
const wheresOf = ({ schema, bytes, parameters }: Operation): Place['where'][] => [
  ...(schema ? textFields(schema, resolved) : []).map((field) => ({ kind: 'body' as const, field })),
  ...(schema ? [{ kind: 'unknown field' as const }] : []),
  ...bytes.map((type) => ({ kind: 'bytes' as const, type })),
  ...parameters.map((parameter) => ({ kind: 'parameter' as const, parameter })),
];

const nameOf = (where: Place['where']): string => {
  if (where.kind === 'body') return `body: ${where.field.name}`;
  if (where.kind === 'bytes') return `bytes: ${where.type}`;
  return where.kind === 'parameter' ? `${where.parameter.in}: ${where.parameter.name}` : where.kind;
};

/**
 * Every place where a text may stand: each once by a member and by every other kind of caller of the operation; members
 * take turns with a token and a session. A parameter that no operation knows goes along with every credential.
 */
export const placesOf = (operations: readonly Operation[]): Place[] => {
  let members = 0;
  return operations.flatMap((operation) => {
    const placed = (caller: Caller, where: Place['where']): Place => ({
      operation,
      caller,
      where,
      name: `${operation.id}, ${nameOf(where)}, as ${caller}`,
    });
    const { callers } = operation;
    const asMember = MEMBERS.filter((caller) => callers.includes(caller));
    const others = callers.filter((caller) => !MEMBERS.includes(caller));
    return [
      ...callers.map((caller) => placed(caller, { kind: 'unknown parameter' })),
      ...wheresOf(operation).flatMap((where) => [
        ...(asMember.length > 0 ? [placed(asMember[members++ % asMember.length] as Caller, where)] : []),
        ...others.map((caller) => placed(caller, where)),
      ]),
    ];
  });
};
