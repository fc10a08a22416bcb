import type { Doc } from '../bson/document.ts';
import { fieldsOf, isDocument } from '../bson/values.ts';
import { MongoError, mongoError, REFUSED, refused } from '../errors/mongo-error.ts';
import { compileGroup } from './group.ts';
import { compileProjectStage, compileSet, compileUnset } from './projection-stages.ts';
import type { Documents, PipelineContext, PipelineEnvironment, Stage } from './stage.ts';
import {
  compileCount,
  compileLimit,
  compileMatchStage,
  compileSkip,
  compileSortStage,
} from './stream-stages.ts';
import { unknownStage } from './unknown-stage.ts';
import { compileUnwind } from './unwind.ts';

/**
 * Compiles an aggregation pipeline. Everything wrong in it is thrown here; documents flow through when the result
 * is read, and only `$sort`, `$group` and `$count` hold more than one of them.
 */
export function compilePipeline(stages: Doc[], env: PipelineEnvironment): (input: Documents) => Documents {
  return compileStages(stages, { ...env, removed: new Set(), sortedByPlace: new Set() });
}

function compileStages(stages: unknown[], context: PipelineContext): Stage {
  const compiled = stages.map((stage, i) => compileStage(stage, context, stages[i + 1]));
  const guarded = compiled.map((stage, i) => (i < compiled.length - 1 ? withHiddenErrors(stage) : stage));
  return (input) => guarded.reduce((documents, stage) => stage(documents), input);
}

/**
 * MongoDB moves later filters forward and leaves out what nobody reads, so that what fails in a stage before the
 * last one may never be computed there. Such an error is a refusal: MongoDB may have an answer.
 */
function withHiddenErrors(stage: Stage): Stage {
  return function* hidden(input) {
    const source = input[Symbol.iterator]();
    let upstream: unknown;
    const watched = {
      [Symbol.iterator]: () => ({
        next: () => {
          try {
            return source.next();
          } catch (error) {
            upstream = error;
            throw error;
          }
        },
        return: () => source.return?.() ?? { done: true, value: undefined },
      }),
    };
    try {
      yield* stage(watched);
    } catch (error) {
      if (error === upstream || !(error instanceof MongoError) || isOwn(error)) throw error;
      throw refused(`a pipeline where a stage before the last fails (${error.message})`);
    }
  };
}

/** Whether an error is this database's own, whatever MongoDB would do: refusals and bounds of memory. */
const isOwn = ({ code }: MongoError): boolean => [REFUSED, 146, 292].includes(code);

function compileStage(stage: unknown, context: PipelineContext, next: unknown): Stage {
  if (!isDocument(stage)) throw mongoError(14, "Each element of the 'pipeline' array must be an object");
  const entries = Object.entries(fieldsOf(stage));
  const [name, spec] = entries[0] ?? [];
  if (name === undefined || entries.length > 1) {
    throw mongoError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  switch (name) {
    case '$match':
      return compileMatchStage(spec);
    case '$group':
      return compileGroup(spec, context);
    case '$sort':
      return compileSortStage(spec, context, next);
    case '$limit':
      return compileLimit(spec);
    case '$skip':
      return compileSkip(spec);
    case '$project':
      return compileProjectStage(spec, context);
    case '$set':
    case '$addFields':
      return compileSet(name, spec, context);
    case '$unset':
      return compileUnset(spec, context);
    case '$count':
      return compileCount(spec);
    case '$unwind':
      return compileUnwind(spec, context);
  }
  throw unknownStage(name);
}
