import { conversationSource } from './conversation-source.ts';
import { leadSource } from './lead-source.ts';
import { messageSource } from './message-source.ts';
import { noteSource } from './note-source.ts';
import type { SearchSource } from './source.ts';

type Models = Parameters<typeof messageSource>[0] &
  Parameters<typeof leadSource>[0] &
  Parameters<typeof noteSource>[0] &
  Parameters<typeof conversationSource>[0];

/** Everything that can be found, a row for each kind. */
export const searchSources = (models: Models): SearchSource[] => [
  conversationSource(models),
  messageSource(models),
  leadSource(models),
  noteSource(models),
];
