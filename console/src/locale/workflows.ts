import { wordsOf } from './locale.ts';
import { de } from './workflows.de.ts';
import { en, type WorkflowWords } from './workflows.en.ts';

/** What the pages of workflows say. */
export const workflowWords = wordsOf<WorkflowWords>({ en, de }, 'workflows');
