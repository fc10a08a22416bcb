import type { WorkflowNode } from '@parlor/shared';

/** What of a workflow is edited together, and saved together. */
export interface Draft {
  name: string;
  nodes: readonly WorkflowNode[];
}

const inOrder = (_: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
};

const texts = new WeakMap<WorkflowNode, string>();

/** A node as text: two that mean the same have the same. */
const textOf = (node: WorkflowNode): string => {
  const known = texts.get(node) ?? JSON.stringify(node, inOrder);
  texts.set(node, known);
  return known;
};

/** Whether two nodes mean the same. */
export const isSameNode = (one: WorkflowNode | undefined, other: WorkflowNode | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && textOf(one) === textOf(other));

/** Whether two drafts say the same, in the same order. */
export const isSame = (one: Draft, other: Draft): boolean =>
  one.name === other.name &&
  one.nodes.length === other.nodes.length &&
  one.nodes.every((node, at) => isSameNode(node, other.nodes[at]));

export type Change = 'added' | 'changed' | 'removed';

const changeOf = (before: WorkflowNode | undefined, after: WorkflowNode | undefined): Change | undefined => {
  if (isSameNode(before, after)) return undefined;
  if (!before) return 'added';
  return after ? 'changed' : 'removed';
};

const byName = ({ nodes }: Draft): ReadonlyMap<string, WorkflowNode> =>
  new Map(nodes.map((node) => [node.id, node]));

/** What became of a node here, and what somebody else made of it. */
export interface Difference {
  id: string;
  mine: Change | undefined;
  theirs: Change | undefined;
  /** Both have changed it, to different ends. */
  isDisputed: boolean;
}

/** The nodes that two drafts have made of one, as far as they differ from it. */
export const differences = (base: Draft, mine: Draft, theirs: Draft): Difference[] => {
  const [before, here, there] = [byName(base), byName(mine), byName(theirs)];
  const ids = new Set([...before.keys(), ...here.keys(), ...there.keys()]);
  return [...ids].flatMap((id) => {
    const difference = {
      id,
      mine: changeOf(before.get(id), here.get(id)),
      theirs: changeOf(before.get(id), there.get(id)),
    };
    if (!difference.mine && !difference.theirs) return [];
    const isDisputed =
      difference.mine !== undefined &&
      difference.theirs !== undefined &&
      !isSameNode(here.get(id), there.get(id));
    return [{ ...difference, isDisputed }];
  });
};

/** The fields in which two forms of a node differ, with what stands in each, as text. */
export const fieldDifferences = (
  one: WorkflowNode,
  other: WorkflowNode,
): { field: string; one: string; other: string }[] => {
  const text = (value: unknown): string =>
    typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  const [here, there] = [one as object, other as object] as Record<string, unknown>[];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .map((field) => ({ field, one: text(here?.[field]), other: text(there?.[field]) }))
    .filter((difference) => difference.one !== difference.other);
};

/** Both sets of changes together, where no node was changed by both; their order, with what is new here behind it. */
export const merged = (base: Draft, mine: Draft, theirs: Draft): Draft => {
  const changed = new Map(differences(base, mine, theirs).map((one) => [one.id, one]));
  const here = byName(mine);
  const kept = theirs.nodes.flatMap((node) => {
    const own = here.get(node.id);
    if (!changed.get(node.id)?.mine) return [node];
    return own ? [own] : [];
  });
  const known = new Set(kept.map(({ id }) => id));
  const added = mine.nodes.filter(({ id }) => !known.has(id) && changed.get(id)?.mine);
  return { name: mine.name === base.name ? theirs.name : mine.name, nodes: [...kept, ...added] };
};
