/** explain: which plan a find, count, distinct, update, delete, findAndModify or aggregate would take. */

import { compilePipeline } from '../aggregation/pipeline.ts';
import type { Doc } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { explainPlan } from '../planner/explain.ts';
import { pause } from '../query/count.ts';
import type { Engine } from '../query/engine.ts';
import { matchesOf, planQuery, type Query, queryFor } from '../query/query.ts';
import { aggregate, environmentOf, readPipeline } from './aggregate.ts';
import { checkCommandFields } from './check-fields.ts';
import type { Command, CommandCall } from './command.ts';
import { count } from './count.ts';
import { type Deletion, deleteCommand, readDelete } from './delete.ts';
import { distinct } from './distinct.ts';
import { string } from './field-types.ts';
import { missingField, readBoolean, readDoc, readHint, readString, wrongType } from './fields.ts';
import { find, readQuery } from './find.ts';
import { checkCombination, findAndModify } from './find-and-modify.ts';
import { VERSION } from './handshake.ts';
import { collectionName } from './namespace.ts';
import { splitPipeline } from './pipeline-query.ts';
import { readStatements } from './statements.ts';
import { readUpdate, type UpdateStatement, update } from './update.ts';

export const explain: Command = {
  fields: { verbosity: string },
  async run(call) {
    const { engine, body, db, deadline } = call;
    if (body.explain === null) throw missingField('explain.explain');
    const inner = readDoc(body, 'explain');
    if (!inner) throw wrongType('explain', body.explain, 'object');
    const verbosity = readString(body, 'verbosity') ?? 'allPlansExecution';
    if (!VERBOSITIES.includes(verbosity)) {
      throw new MongoError(2, 'BadValue', `verbosity string must be one of ${VERBOSITIES.join(', ')}`);
    }
    const name = Object.keys(inner)[0] ?? '';
    const command = Object.hasOwn(EXPLAINED, name) ? EXPLAINED[name] : undefined;
    if (!command)
      throw new MongoError(59, 'CommandNotFound', `Explain failed due to unknown command: ${name}`);
    checkCommandFields(name, command, Object.entries(inner));
    const innerCall = { ...call, name, body: inner, sequences: new Map() };
    const ns = `${db}.${collectionName(innerCall)}`;
    const query = { ...innerQuery(innerCall), deadline };
    return {
      explainVersion: '1',
      ...(await explainQuery(engine, ns, query, verbosity !== 'queryPlanner')),
      command: { ...inner, $db: db },
      serverInfo: { host: 'embedded', port: 0, version: VERSION, gitVersion: 'parlor-embedded-mongodb' },
    };
  },
};

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

const EXPLAINED: Readonly<Record<string, Command>> = {
  find,
  aggregate,
  count,
  distinct,
  findAndModify,
  update,
  delete: deleteCommand,
};

/** The query of a command, of whose parts what is wrong is said as by the command itself. */
function innerQuery(call: CommandCall): Query {
  const { name, body, engine } = call;
  switch (name) {
    case 'find':
      return readQuery(body);
    case 'aggregate': {
      const pipeline = readPipeline(body);
      compilePipeline([...pipeline], environmentOf(engine));
      return splitPipeline(pipeline, readHint(body)).query;
    }
    case 'update': {
      const [read] = readStatements(call, 'updates').map(readUpdate);
      return (read as (deadline: number) => UpdateStatement)(Number.POSITIVE_INFINITY).query;
    }
    case 'delete': {
      const [deletion] = readStatements(call, 'deletes').map(readDelete);
      const { filter, limit, hint } = deletion as Deletion;
      return queryFor(filter, { limit, hint });
    }
  }
  const filter = readDoc(body, 'query') ?? {};
  if (name !== 'findAndModify') {
    if (name === 'distinct' && body.key === undefined) throw missingField('distinct.key');
    return queryFor(filter, { hint: readHint(body) });
  }
  checkCombination(body, readBoolean(body, 'remove', false));
  return queryFor(filter, { hint: readHint(body), sort: readDoc(body, 'sort'), limit: 1 });
}

async function explainQuery(engine: Engine, ns: string, query: Query, execute: boolean): Promise<Doc> {
  const collection = engine.catalog.get(ns);
  const head = { namespace: ns, parsedQuery: query.filter, indexFilterSet: false };
  if (!collection) {
    const eof = { queryPlanner: { ...head, winningPlan: { stage: 'EOF' }, rejectedPlans: [] } };
    return execute ? { ...eof, executionStats: stats(0, 0, { keysExamined: 0, docsExamined: 0 }) } : eof;
  }
  const plan = planQuery(engine, collection, query);
  try {
    const planned = { queryPlanner: { ...head, winningPlan: explainPlan(plan, query), rejectedPlans: [] } };
    if (!execute) return planned;
    const effort = { keysExamined: 0, docsExamined: 0 };
    const started = performance.now();
    let returned = 0;
    for (const match of matchesOf(engine, plan, query, effort)) {
      if (match) returned++;
      else await pause(engine);
    }
    return { ...planned, executionStats: stats(returned, performance.now() - started, effort) };
  } finally {
    plan.memory.release();
  }
}

function stats(nReturned: number, ms: number, effort: { keysExamined: number; docsExamined: number }): Doc {
  return {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Math.round(ms),
    totalKeysExamined: effort.keysExamined,
    totalDocsExamined: effort.docsExamined,
  };
}
