import type { Model } from 'mongoose';
import type { Services } from '../services.ts';

type Models = Services['models'];

/** A collection that holds an account's objects. */
export interface AccountCollection {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is in it does not matter to who copies or deletes it
  model: Model<any>;
  /** Which of its documents are the account's. */
  filter: object;
  /** The fields of an index that reads them in a fixed order. */
  sort: Record<string, 1 | -1>;
}

/**
 * What belongs to an account and is worth keeping, in the order in which it can be read in again: what others
 * refer to comes first. What waits for a subscriber goes along, and is sent by whoever reads it in, under the same
 * webhook-id. Claims and counts are this server's own.
 */
export const accountCollections = async (models: Models, account: string): Promise<AccountCollection[]> => {
  const byTime = { created_at: -1, _id: -1 } as const;
  const idsOf = async (model: Models['widgets'] | Models['workflows']): Promise<string[]> =>
    (await (model as Models['widgets']).find({ account }, { _id: 1 }).lean()).map(({ _id }) => _id);
  const [widgets, workflows] = await Promise.all([idsOf(models.widgets), idsOf(models.workflows)]);
  return [
    { name: 'widgets', model: models.widgets, filter: { account }, sort: byTime },
    { name: 'graphs', model: models.graphs, filter: { workflow: { $in: workflows } }, sort: { workflow: 1 } },
    { name: 'workflows', model: models.workflows, filter: { account }, sort: byTime },
    { name: 'keywords', model: models.keywords, filter: { account }, sort: byTime },
    { name: 'rooms', model: models.rooms, filter: { account }, sort: byTime },
    { name: 'messages', model: models.messages, filter: { account }, sort: { sent_at: -1, _id: -1 } },
    { name: 'leads', model: models.leads, filter: { account }, sort: byTime },
    { name: 'notifications', model: models.notifications, filter: { account }, sort: byTime },
    { name: 'webhooks', model: models.webhooks, filter: { account }, sort: byTime },
    { name: 'deliveries', model: models.deliveries, filter: { account }, sort: byTime },
    { name: 'sessions', model: models.sessions, filter: { widget: { $in: widgets } }, sort: { widget: 1 } },
  ];
};

/** Every collection whose documents name their account. */
export const collectionsWithAccount = (models: Models): Model<{ account: string }>[] =>
  (Object.values(models) as unknown as Model<{ account: string }>[]).filter(
    ({ schema }) => schema.path('account') !== undefined,
  );

/**
 * Deletes an account and all that belongs to it. Its token and password are dead first, and the account itself
 * goes last: a deletion that was broken off is finished by doing it again.
 */
export const deleteAccount = async (
  { accounts, models }: Pick<Services, 'accounts' | 'models'>,
  account: string,
  progress: (collection: string) => void = () => undefined,
): Promise<void> => {
  await accounts.lock(account);
  for (const { name, model, filter } of await accountCollections(models, account)) {
    progress(name);
    await model.deleteMany(filter as never);
  }
  // What is not worth keeping goes, too: logs, marks, work under way.
  progress('logs');
  for (const model of collectionsWithAccount(models)) await model.deleteMany({ account });
  await models.accounts.deleteOne({ _id: account });
};
