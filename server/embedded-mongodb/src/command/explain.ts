/** explain: which plan a find, count, distinct, update, delete, findAndModify or aggregate would take. */

import type { Doc } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { explainPlan } from '../planner/explain.ts';
import { pause } from '../query/count.ts';
import type { Engine } from '../query/engine.ts';
import { matchesOf, planQuery, type Query, queryFor } from '../query/query.ts';
import { readPipeline } from './aggregate.ts';
import type { Command } from './command.ts';
import { readDoc, readHint, readString, wrongType } from './fields.ts';
import { readQuery } from './find.ts';
import { VERSION } from './handshake.ts';
import { splitPipeline } from './pipeline-query.ts';

export const explain: Command = {
  fields: ['verbosity'],
  async run({ engine, body, db, deadline }) {
    const inner = readDoc(body, 'explain');
    if (!inner) throw wrongType('explain', body.explain, 'object');
    const verbosity = readString(body, 'verbosity') ?? 'allPlansExecution';
    if (!VERBOSITIES.includes(verbosity)) {
      throw new MongoError(2, 'BadValue', `verbosity string must be one of ${VERBOSITIES.join(', ')}`);
    }
    const name = Object.keys(inner)[0] ?? '';
    const ns = `${db}.${String(inner[name])}`;
    const query = { ...innerQuery(name, inner), deadline };
    return {
      explainVersion: '1',
      ...(await explainQuery(engine, ns, query, verbosity !== 'queryPlanner')),
      command: { ...inner, $db: db },
      serverInfo: { host: 'embedded', port: 0, version: VERSION, gitVersion: 'parlor-embedded-mongodb' },
    };
  },
};

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

function innerQuery(name: string, inner: Doc): Query {
  const base = queryFor({}, { hint: readHint(inner) });
  switch (name) {
    case 'find':
      return readQuery(inner);
    case 'aggregate':
      return splitPipeline(readPipeline(inner), readHint(inner)).query;
    case 'count':
    case 'distinct':
      return { ...base, filter: readDoc(inner, 'query') ?? {} };
    case 'findAndModify':
      return { ...base, filter: readDoc(inner, 'query') ?? {}, sort: readDoc(inner, 'sort'), limit: 1 };
    case 'update':
    case 'delete': {
      const [statement] = (inner[`${name}s`] as Doc[] | undefined) ?? [];
      return { ...base, filter: readDoc(statement ?? {}, 'q') ?? {}, hint: readHint(statement ?? {}) };
    }
    default:
      throw new MongoError(59, 'CommandNotFound', `Explain failed due to unknown command: ${name}`);
  }
}

async function explainQuery(engine: Engine, ns: string, query: Query, execute: boolean): Promise<Doc> {
  const collection = engine.catalog.get(ns);
  const head = { namespace: ns, parsedQuery: query.filter, indexFilterSet: false };
  if (!collection) {
    const eof = { queryPlanner: { ...head, winningPlan: { stage: 'EOF' }, rejectedPlans: [] } };
    return execute ? { ...eof, executionStats: stats(0, 0, { keysExamined: 0, docsExamined: 0 }) } : eof;
  }
  const plan = planQuery(collection, query);
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
