import type { AuditData } from '../../events/audit.ts';
import type { EventConsumer } from '../../events/relay.ts';
import type { GraphStore } from '../agent/graph-store.ts';
import type { Credentials } from '../members/credentials.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';

interface Parts {
  credentials: Pick<Credentials, 'ended'>;
  graphs: Pick<GraphStore, 'deleteOf'>;
  widgets: Pick<WidgetsService, 'followDeletion'>;
}

/** An object that was deleted. */
interface Deleted {
  _id: string;
  account: string;
}

/**
 * What follows from a deletion in other documents. It is done before a deletion is answered, and here once more from the
 * event of the deletion, which outlives a crash and a lost connection in between. The second time changes nothing.
 */
export const createFollowDeletions = ({ credentials, graphs, widgets }: Parts): EventConsumer => {
  const follows: Readonly<Record<string, (deleted: Deleted) => Promise<void>>> = {
    member: (member) => credentials.ended(member),
    widget: (widget) => widgets.followDeletion(widget),
    workflow: ({ _id }) => graphs.deleteOf(_id),
  };
  return async (events) => {
    for (const { account, data, is_deletion } of events) {
      if (!is_deletion) continue;
      const { kind, uuid } = (data as AuditData).object;
      await follows[kind]?.({ _id: uuid, account });
    }
  };
};
