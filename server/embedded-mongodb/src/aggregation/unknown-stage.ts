import { mongoError, refused } from '../errors/mongo-error.ts';

/**
 * Stages of MongoDB's that this database has not; anything else is unknown to both. `$indexStats` is taken for unknown:
 * Compass shows a collection's indexes without their use then, and nothing after any other error.
 */
const REFUSED_STAGES = new Set(
  '$bucket $bucketAuto $changeStream $changeStreamSplitLargeEvent $collStats $currentOp $densify $documents $facet $fill $geoNear $graphLookup $listCatalog $listClusterCatalog $listLocalSessions $listSampledQueries $listSearchIndexes $listSessions $lookup $merge $mergeCursors $operationMetrics $out $planCacheStats $querySettings $queryStats $rankFusion $redact $replaceRoot $replaceWith $sample $score $scoreFusion $search $searchBeta $searchMeta $setWindowFields $shardedDataDistribution $sharedDataDistribution $sortByCount $unionWith $vectorSearch'.split(
    ' ',
  ),
);

/** The error for a stage that cannot be compiled. */
export function unknownStage(name: string): Error {
  if (REFUSED_STAGES.has(name) || name.startsWith('$_internal')) return refused(`the pipeline stage ${name}`);
  return mongoError(40324, `Unrecognized pipeline stage name: '${name}'`);
}
