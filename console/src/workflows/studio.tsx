import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { count } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { isTyped } from '../shell/commands.ts';
import { letterOf } from '../ui/keys.ts';
import { Notice } from '../ui/notice.tsx';
import { isMac } from '../ui/platform.ts';
import { AddStep } from './add-step.tsx';
import { Conflict } from './conflict.tsx';
import type { Editor } from './editor.ts';
import { Graph } from './graph.tsx';
import { Head } from './head.tsx';
import { NodeForm } from './node-form.tsx';
import { NodeList } from './node-list.tsx';
import { ProblemList } from './problem-list.tsx';
import { problemsOf } from './problems.ts';
import { removeStep } from './remove-step.ts';
import { removeWorkflow } from './remove-workflow.ts';
import { Settings } from './settings.tsx';
import styles from './studio.module.css';
import { Tabs } from './tabs.tsx';
import { TestChat } from './test-chat.tsx';
import { useEditor } from './use-editor.ts';
import { Looking, Versions } from './versions.tsx';

const TABS = ['step', 'test', 'versions', 'settings'] as const;
const VIEWS = ['graph', 'list'] as const;
type Tab = (typeof TABS)[number];

/** The workflow that is edited: its graph or list, and beside it the node, the test, the versions and the settings. */
export const Studio = ({ editor }: { editor: Editor }) => {
  const t = workflowWords.value;
  const id = useId();
  const { route } = useLocation();
  const panel = useRef<HTMLDivElement>(null);
  const [tab, setTab] = useState<Tab>('step');
  const [view, setView] = useState<(typeof VIEWS)[number]>('graph');
  const { error, save, saveMine, set } = useEditor(editor);
  const { name } = editor.draft.value;
  useEffect(() => {
    document.title = `${name} · Parlor`;
  }, [name]);

  const preview = editor.preview.value;
  const nodes = preview?.nodes ?? editor.draft.value.nodes;
  const problems = problemsOf(editor);
  const byNode = useMemo(() => {
    const found = new Map<string, number>();
    if (preview) return found;
    for (const id of problems.flatMap((one) => one.nodes)) found.set(id, (found.get(id) ?? 0) + 1);
    return found;
  }, [preview, JSON.stringify(problems)]);
  const inLoop = new Set(
    editor.problems.value.flatMap((problem) => (problem.kind === 'loop' ? problem.nodes : [])),
  );

  const select = (node: string) => {
    editor.selected.value = node;
    if (tab !== 'test' && !preview) setTab('step');
  };
  /** Puts the focus into the form of the node that is chosen. */
  const edit = () => {
    if (preview) return;
    setTab('step');
    requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>('input, textarea')?.focus());
  };
  const go = (node: string) => {
    editor.selected.value = node;
    edit();
  };
  const remove = (node: string) => {
    const found = editor.draft.value.nodes.find((one) => one.id === node);
    if (found && !preview) removeStep(editor, found);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isCommand = isMac ? event.metaKey : event.ctrlKey;
      const key = letterOf(event).toLowerCase();
      if (!isCommand || event.altKey || document.querySelector('dialog[open]')) return;
      if (key === 's') void save();
      else if (isTyped(event)) return;
      else if (key === 'z' && !event.shiftKey) editor.undo();
      else if (key === 'y' || (key === 'z' && event.shiftKey)) editor.redo();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  const shown = {
    nodes,
    selected: editor.selected.value,
    passed: preview ? [] : editor.passed.value,
    problems: byNode,
    onSelect: select,
    onEdit: edit,
    onRemove: remove,
  };
  return (
    <div class={styles.studio}>
      <Head editor={editor} onSave={save} onSet={set} />
      {error && (
        <div class={styles.told}>
          <Notice>{error}</Notice>
        </div>
      )}
      <Conflict editor={editor} onSave={() => void saveMine()} />
      {preview && <Looking editor={editor} version={preview} />}
      <div class={styles.main}>
        <div class={styles.tools}>
          <Tabs
            label={t.view}
            id={`${id}-view`}
            tabs={VIEWS.map((one) => [one, t[one]] as const)}
            chosen={view}
            onChoose={(one) => setView(one)}
          />
          {!preview && <AddStep editor={editor} onAdded={go} />}
          <span class={styles.count}>{t.nodes(count(nodes.length))}</span>
        </div>
        <div id={`${id}-view`} class={styles.view} role="tabpanel" aria-labelledby={`${id}-view-${view}`}>
          {view === 'graph' ? <Graph {...shown} inLoop={inLoop} /> : <NodeList {...shown} />}
        </div>
        {!preview && <ProblemList problems={problems} onGo={go} />}
      </div>
      <div class={styles.side}>
        <Tabs
          label={t.panel}
          id={`${id}-panel`}
          tabs={TABS.map((one) => [one, t.tabs[one]] as const)}
          chosen={tab}
          onChoose={(one) => setTab(one)}
        />
        <div
          ref={panel}
          id={`${id}-panel`}
          class={styles.panel}
          role="tabpanel"
          aria-labelledby={`${id}-panel-${tab}`}
        >
          {tab === 'step' && <NodeForm editor={editor} problems={problems} onGo={go} />}
          {tab === 'test' && <TestChat editor={editor} />}
          {tab === 'versions' && <Versions editor={editor} />}
          {tab === 'settings' && (
            <Settings
              editor={editor}
              onSet={set}
              onRemove={() => {
                route('/console/workflows');
                removeWorkflow(editor.saved.value);
              }}
            />
          )}
        </div>
      </div>
    </div>
  );
};
