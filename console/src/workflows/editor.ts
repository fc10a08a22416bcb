import type { Workflow, WorkflowNode, WorkflowVersionDetail } from '@parlor/shared';
import { type GraphProblem, graphProblems } from '@parlor/shared/workflow-problems';
import { batch, computed, type Signal, signal } from '@preact/signals';
import { ApiError, CHANGED_SINCE, type Tagged } from '../api/client.ts';
import { Resource } from '../api/resource.ts';
import { keepEdit, keptEdit } from '../ui/kept-edit.ts';
import { type Draft, isSame, merged } from './compare.ts';
import { type Refused, refusedOf } from './refused.ts';

/** Under which drafts are kept. */
const KIND = 'workflow';

const NOT_CHANGED = 304;

/** Steps that can be taken back. */
const MAX_UNDO = 200;

/** Typing in one field within this time is one step (milliseconds). */
const ONE_STEP_MS = 1_200;

/** How long after the last change it is kept (milliseconds). */
const KEEP_AFTER_MS = 400;

const draftOf = ({ name, nodes }: Draft): Draft => ({ name, nodes });

/** A workflow while it is edited: as it was saved, as it stands here, and the steps between. */
export class Editor {
  readonly resource: Resource<Workflow>;
  /** As the server has it, as far as is known here. */
  readonly saved: Signal<Tagged<Workflow>>;
  readonly draft: Signal<Draft>;
  /** What somebody else has saved, while there are changes here that have not gone into it. */
  readonly theirs = signal<Tagged<Workflow> | undefined>(undefined);
  /** The name of the node that is edited. */
  readonly selected = signal<string | undefined>(undefined);
  /** The nodes that the last turn of the test went through. */
  readonly passed = signal<readonly string[]>([]);
  /** A version that is looked at instead. */
  readonly preview = signal<WorkflowVersionDetail | undefined>(undefined);
  /** What the server has refused, by node and field. */
  readonly refused = signal<Refused>(new Map());
  readonly isBusy = signal(false);
  readonly past = signal<readonly Draft[]>([]);
  readonly future = signal<readonly Draft[]>([]);
  readonly isChanged = computed(() => !isSame(this.draft.value, this.saved.value.object));
  readonly problems = computed<readonly GraphProblem[]>(() => graphProblems(this.draft.value.nodes));
  #lastStep: { key: string; at: number } | undefined;
  #keeping: number | undefined;

  constructor(saved: Tagged<Workflow>) {
    this.resource = new Resource(`workflows/${saved.object.uuid}/`);
    this.saved = signal(saved);
    this.draft = signal(draftOf(saved.object));
    const kept = keptEdit<Draft>(KIND, this.uuid);
    if (kept) this.#goOn(kept.base, kept.mine);
    const { nodes } = this.draft.value;
    this.selected.value = (nodes.find(({ type }) => type === 'start') ?? nodes[0])?.id;
  }

  get uuid(): string {
    return this.saved.peek().object.uuid;
  }

  get node(): WorkflowNode | undefined {
    return this.draft.value.nodes.find(({ id }) => id === this.selected.value);
  }

  /**
   * Takes a step that can be taken back.
   * @param key steps of one key in a row are one, such as the letters of a text
   */
  change(next: Draft, key?: string): void {
    const now = Date.now();
    const goesOn = key !== undefined && this.#lastStep?.key === key && now - this.#lastStep.at < ONE_STEP_MS;
    batch(() => {
      if (!goesOn) this.past.value = [...this.past.value, this.draft.value].slice(-MAX_UNDO);
      this.future.value = [];
      this.#forgetRefused(next);
      this.draft.value = next;
    });
    this.#lastStep = key === undefined ? undefined : { key, at: now };
    this.#keep();
  }

  changeNodes(nodes: readonly WorkflowNode[], key?: string): void {
    this.change({ ...this.draft.value, nodes }, key);
  }

  undo(): void {
    this.#step(this.past, this.future);
  }

  redo(): void {
    this.#step(this.future, this.past);
  }

  /** Back to what was saved; that can be taken back, too. */
  discard(): void {
    this.change(draftOf(this.saved.value.object));
  }

  /**
   * Saves what stands here. What somebody else has saved meanwhile stands in `theirs` then, and nothing is overwritten.
   * @returns whether it is saved
   * @throws ApiError
   */
  async save(): Promise<boolean> {
    if (this.isBusy.value) return false;
    const sent = this.draft.value;
    this.isBusy.value = true;
    try {
      const { object } = this.saved.value;
      const wanted = { ...(sent.name !== object.name && { name: sent.name }), nodes: sent.nodes };
      this.know(await this.#patch(wanted), sent);
      this.refused.value = new Map();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status !== CHANGED_SINCE) {
        this.refuse(error, sent.nodes);
        throw error;
      }
      await this.look();
      return false;
    } finally {
      this.isBusy.value = false;
    }
  }

  /** Sets what is no part of the draft, at once. @throws ApiError */
  async set(wanted: Partial<Pick<Workflow, 'is_published' | 'is_room_bot'>>): Promise<void> {
    try {
      this.know(await this.#patch(wanted), this.saved.value.object);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== CHANGED_SINCE) throw error;
      await this.look();
      if (!this.theirs.value) this.know(await this.#patch(wanted), this.saved.value.object);
    }
  }

  /** Marks the fields that the server has refused. */
  refuse(error: ApiError, nodes: readonly WorkflowNode[]): void {
    this.refused.value = refusedOf(error, nodes);
  }

  /** Looks whether somebody else has saved. @returns whether what was saved is shown now @throws ApiError */
  async look(): Promise<boolean> {
    try {
      const found = await this.resource.read(() => ({
        'If-None-Match': (this.theirs.value ?? this.saved.value).etag,
      }));
      // Another look was given the same answer.
      if (found.etag === this.saved.value.etag) return false;
      const { mine, base } = { mine: this.draft.value, base: this.saved.value.object };
      if (isSame(found.object, base)) this.know(found, base);
      else if (isSame(mine, base)) this.know(found, mine);
      else this.theirs.value = found;
      return !this.theirs.value;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== NOT_CHANGED) throw error;
      return false;
    }
  }

  /** What somebody else has saved takes the place of what stands here; that can be taken back. */
  takeTheirs(): void {
    const { theirs } = this;
    if (!theirs.value) return;
    const next = theirs.value;
    batch(() => {
      this.saved.value = next;
      theirs.value = undefined;
      this.change(draftOf(next.object));
    });
  }

  /** What stands here is saved in the place of what somebody else has saved. @throws ApiError */
  async saveMine(): Promise<boolean> {
    const { theirs } = this;
    if (!theirs.value) return false;
    this.saved.value = theirs.value;
    theirs.value = undefined;
    return this.save();
  }

  /** What was changed here, on top of what somebody else has saved; not saved yet. */
  mergeTheirs(): void {
    const { theirs } = this;
    if (!theirs.value) return;
    const next = theirs.value;
    const both = merged(this.saved.value.object, this.draft.value, next.object);
    batch(() => {
      this.saved.value = next;
      theirs.value = undefined;
      this.change(both);
    });
  }

  /**
   * It is known how the workflow stands on the server now.
   * @param sent the draft that is in it; what was changed since stays
   */
  know(found: Tagged<Workflow>, sent: Draft): void {
    batch(() => {
      const goesOn = !isSame(this.draft.value, sent);
      this.saved.value = found;
      this.theirs.value = undefined;
      if (!goesOn) this.draft.value = draftOf(found.object);
    });
    this.#keep();
  }

  /** Keeps at once what is not saved. */
  keepNow(): void {
    clearTimeout(this.#keeping);
    const base = draftOf(this.saved.value.object);
    const edit = { base, mine: this.draft.value, theirs: {} };
    keepEdit<Draft>(KIND, this.uuid, this.isChanged.value ? edit : undefined);
  }

  /** Goes on with what was left unsaved before. */
  #goOn(base: Draft, mine: Draft): void {
    const now = this.saved.value;
    if (isSame(base, now.object)) this.draft.value = mine;
    else if (!isSame(mine, now.object)) {
      // Somebody else has saved since: of what was read then there is no entity tag any more.
      this.saved.value = { object: { ...now.object, ...base, nodes: [...base.nodes] }, etag: '"outdated"' };
      this.draft.value = mine;
      this.theirs.value = now;
    }
  }

  /** What was refused of a node that is another one now is no news. */
  #forgetRefused({ nodes }: Draft): void {
    if (this.refused.value.size === 0) return;
    const same = new Set<WorkflowNode>(this.draft.value.nodes);
    const kept = new Set(nodes.filter((node) => same.has(node)).map(({ id }) => id));
    this.refused.value = new Map([...this.refused.value].filter(([id]) => kept.has(id)));
  }

  #patch(wanted: object): Promise<Tagged<Workflow>> {
    return this.resource.patch(wanted, this.saved.value.etag);
  }

  #step(from: Editor['past'], to: Editor['past']): void {
    const next = from.value.at(-1);
    if (!next) return;
    batch(() => {
      to.value = [...to.value, this.draft.value];
      from.value = from.value.slice(0, -1);
      this.draft.value = next;
    });
    this.#lastStep = undefined;
    this.#keep();
  }

  #keep(): void {
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => this.keepNow(), KEEP_AFTER_MS);
  }
}
