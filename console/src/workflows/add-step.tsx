import { MAX_NODES } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { workflowWords } from '../locale/workflows.ts';
import { Menu } from '../ui/menu.tsx';
import type { Editor } from './editor.ts';
import { TYPES, withAfter } from './nodes.ts';

/** Adds a node behind the one that is chosen. */
export const AddStep = ({ editor, onAdded }: { editor: Editor; onAdded(id: string): void }) => {
  const t = workflowWords.value;
  const [isOpen, setOpen] = useState(false);
  const { nodes } = editor.draft.value;
  const hasStart = nodes.some(({ type }) => type === 'start');
  const isFull = nodes.length >= MAX_NODES;
  return (
    <Menu
      label={t.addStep}
      icon="plus"
      value={t.addStep}
      isOpen={isOpen}
      onToggle={setOpen}
      choices={TYPES.filter((type) => !isFull && (type !== 'start' || !hasStart)).map((type) => ({
        key: type,
        label: t.types[type],
        onChoose() {
          const { nodes: next, added } = withAfter(nodes, type, editor.node);
          editor.changeNodes(next);
          onAdded(added.id);
        },
      }))}
    >
      {isFull && <p>{t.full}</p>}
    </Menu>
  );
};
