import type { TestApp } from './app.ts';
import { bodyFor, type Fixtures, pathFor } from './fixtures.ts';
import { type Operation, operations } from './openapi.ts';

/** Operations that take the credential of a member or a visitor. */
export const secured = operations.filter(
  ({ callers }) => !callers.includes('public') && (callers.includes('Token') || callers.includes('Visitor')),
);

/** Sends an operation about these objects, or about those of their visitor. */
export const sender =
  (app: TestApp) =>
  (operation: Operation, objects: Fixtures, as: object, isVisitors = false) => {
    const body = bodyFor(operation, objects, isVisitors);
    return app.request(operation.method, pathFor(operation, objects, isVisitors), {
      ...(body && { body }),
      ...as,
    });
  };

/** What a stranger must not see of an account's objects. */
export const marks = ({ ids, room, visitor }: Fixtures): string[] => [
  ...Object.values(ids),
  room.uuid,
  visitor.room.uuid,
  visitor.lead,
  visitor.message,
  visitor.note,
];
