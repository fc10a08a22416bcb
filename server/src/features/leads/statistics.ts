import { LEAD_GROUPS, type LeadGroup, type LeadStatistics } from '@parlor/shared';
import type { Days } from '../../database/pages.ts';
import { databaseAway } from '../../database/unavailable.ts';
import { checkDays, daysOf, type StatisticsDays, statisticsDays } from '../../http/statistics-days.ts';
import { invalid } from '../../platform/errors.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { inView, type View } from '../members/view.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';
import type { LeadModel } from './leads.model.ts';

/** Each may read every lead of an account (docs/limits.md). */
const TURNS = { running: 2, runningOfOne: 1, waitingOfOne: 20 } as const;

/** Of MongoDB: what a query would have to hold in memory is too much. */
const EXCEEDED_MEMORY_LIMIT = 292;

/** The expression whose values are the groups; a person is known by nickname, else e-mail, else phone. */
const GROUP_BY: Record<LeadGroup, unknown> = {
  user: {
    $cond: [
      { $ne: ['$nickname', ''] },
      '$nickname',
      { $cond: [{ $ne: ['$email', ''] }, '$email', '$phone_number'] },
    ],
  },
  day: { $dateToString: { date: '$created_at', format: '%Y-%m-%d' } },
  device: '$device',
  referrer: '$referrer',
  from_page_title: '$from_page_title',
  widget: '$widget',
};

/** @throws ParlorError `invalid` that names the allowed ones. */
export const readLeadGroup = (text = 'user'): LeadGroup => {
  const group = LEAD_GROUPS.find((known) => known === text);
  if (!group) {
    throw invalid({
      group_by: [`"${text.slice(0, 100)}" is not a valid choice. Choose one of ${LEAD_GROUPS.join(', ')}.`],
    });
  }
  return group;
};

/** The embedded database holds all groups in memory. */
const tooManyGroups = (error: unknown): never => {
  if ((error as { code?: unknown }).code !== EXCEEDED_MEMORY_LIMIT) throw error;
  throw invalid({ start_date: ['There are too many different values in these days: ask for fewer days.'] });
};

/** How many leads an account got, by one of LEAD_GROUPS (docs/contract.md#lead). */
export class LeadStatisticsService {
  readonly #leads: LeadModel;
  readonly #widgets: Pick<WidgetsService, 'namesOf'>;
  readonly #turns = new FairTurns(TURNS, databaseAway);

  constructor(leads: LeadModel, widgets: Pick<WidgetsService, 'namesOf'>) {
    this.#leads = leads;
    this.#widgets = widgets;
  }

  /**
   * The leads of the days given, by default of the current UTC month to now; at most `limit` groups, largest
   * first, but every day when they are grouped by day.
   * @param seen says what of the account is seen by whoever asks, once its turn has come
   * @throws ParlorError `invalid` when those are too many days, or more groups than fit in memory;
   * `throttled` when too many of the account wait; what `seen` throws; the reason of `gone`, by which nobody waits for them any more
   */
  async count(
    account: string,
    seen: () => Promise<View>,
    group: LeadGroup,
    asked: Days,
    limit: number,
    gone?: AbortSignal,
  ): Promise<LeadStatistics> {
    const days = statisticsDays(asked);
    const { start, end, start_date, end_date } = days;
    if (group === 'day') checkDays(days);
    const groups = { $group: { _id: GROUP_BY[group], total: { $sum: 1 } } };
    const top = group === 'day' ? [] : [{ $sort: { total: -1, _id: 1 } as const }, { $limit: limit }];
    const read = async () => {
      const match = { $match: { ...inView(await seen()), created_at: { $gte: start, $lt: end } } };
      return Promise.all([
        this.#leads.aggregate<{ _id: string; total: number }>([match, groups, ...top] as never),
        this.#leads.aggregate<{ total: number }>([match, { $group: { _id: null, total: { $sum: 1 } } }]),
      ]);
    };
    const [counted, [all]] = await this.#turns.run(account, read, gone).catch(tooManyGroups);
    return {
      group_by: group,
      start_date,
      end_date,
      total: all?.total ?? 0,
      results: await this.#results(account, group, counted, days),
    };
  }

  async #results(
    account: string,
    group: LeadGroup,
    counted: readonly { _id: string; total: number }[],
    days: StatisticsDays,
  ): Promise<LeadStatistics['results']> {
    if (group === 'day') {
      const totals = new Map(counted.map(({ _id, total }) => [_id, total]));
      return daysOf(days).map((day) => ({ day, total: totals.get(day) ?? 0 }));
    }
    if (group !== 'widget') return counted.map(({ _id, total }) => ({ [group]: _id, total }));
    const ids = counted.map(({ _id }) => _id).filter((id) => id !== '');
    const names = await this.#widgets.namesOf(account, ids);
    return counted.map(({ _id, total }) => ({ widget: _id, name: names.get(_id) ?? '', total }));
  }
}
