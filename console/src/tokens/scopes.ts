import type { Scope } from '@parlor/shared';
import { isAdmin } from '../session/session.ts';

/** What scopes are about. */
export type ScopeArea = Scope extends `${infer Area}:${string}` ? Area : never;

/** What a program may do in an area. */
export type Right = 'none' | 'read' | 'write';

/** Each area with the most that there is to be given. */
const AREAS: readonly (readonly [area: ScopeArea, most: 'read' | 'write', isOfAdmins: boolean])[] = [
  ['conversations', 'write', false],
  ['leads', 'write', false],
  ['widgets', 'write', false],
  ['keywords', 'write', true],
  ['webhooks', 'write', true],
  ['workflows', 'write', true],
  ['members', 'read', false],
  ['audit', 'read', true],
];

/** What whoever is signed in may give: a token never does more than its member. */
export const offered = (): { area: ScopeArea; rights: readonly Right[] }[] =>
  AREAS.filter(([, , isOfAdmins]) => isAdmin.value || !isOfAdmins).map(([area, most]) => {
    const isWritable = most === 'write' && (area !== 'widgets' || isAdmin.value);
    return { area, rights: isWritable ? ['none', 'read', 'write'] : ['none', 'read'] };
  });

/** What a token may do, area by area: who may write may read. */
export const rightsOf = (scopes: readonly Scope[]): [ScopeArea, Right][] =>
  AREAS.flatMap(([area]): [ScopeArea, Right][] => {
    const has = (right: string) => scopes.some((scope) => scope === `${area}:${right}`);
    if (has('write')) return [[area, 'write']];
    return has('read') ? [[area, 'read']] : [];
  });
