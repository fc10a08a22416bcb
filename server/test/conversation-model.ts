/** What the API is to say of conversations, as docs/contract.md#conversation has it: plain rules over all that happened. */

/** A member. */
export interface Person {
  uuid: string;
  token: string;
  username: string;
  /** null: all. */
  widgets: string[] | null;
  is_away: boolean;
}

/** A message, at a time in milliseconds. */
export interface Said {
  id: string;
  at: number;
  sender: 'visitor' | 'person' | 'bot';
  author?: string | undefined;
  nickname: string;
}

const order = (a: Pick<Said, 'at' | 'id'>, b: Pick<Said, 'at' | 'id'>): number =>
  a.at - b.at || (a.id < b.id ? -1 : 1);

/** One conversation. */
export class Talk {
  status = 'open';
  snoozed_until: number | null = null;
  assignee: string | null = null;
  tags: string[] = [];
  rating: number | null = null;
  is_bot_use = false;
  readonly unread = new Set<string>();
  readonly said: Said[] = [];
  /** What happened to it, for whoever looks for a difference. */
  readonly history: string[] = [];
  /** When a member or time last changed it: between these two (milliseconds); only the server knows exactly. */
  changed: [from: number, to: number];

  readonly uuid: string;
  readonly label: string;
  readonly widget: string | null;
  readonly created: number;
  /** Its visitor's token; undefined: it came by the API. */
  readonly visitor: string | undefined;

  constructor(
    { uuid, label }: Pick<Talk, 'uuid' | 'label'>,
    widget: string | null,
    created: number,
    visitor?: string,
  ) {
    this.uuid = uuid;
    this.label = label;
    this.widget = widget;
    this.created = created;
    this.visitor = visitor;
    this.changed = [created, created];
  }

  isSeenBy({ widgets }: Person): boolean {
    return widgets === null || (this.widget !== null && widgets.includes(this.widget));
  }

  /** A message comes in, whenever it was sent. */
  hear(said: Said, people: readonly Person[]): void {
    this.history.push(`said ${JSON.stringify(said)}`);
    this.said.push(said);
    this.said.sort(order);
    const isAnsweredBy = (member: string) =>
      this.said.some((one) => one.author === member && order(one, said) > 0);
    if (said.sender === 'visitor') {
      if (this.status !== 'open') Object.assign(this, { status: 'open', snoozed_until: null });
      if (!this.is_bot_use) this.isNewFor(people, isAnsweredBy);
    }
    const author = people.find(({ uuid }) => uuid === said.author);
    if (!author) return;
    if (this.assignee === null && this.isSeenBy(author) && !author.is_away) this.assignee = author.uuid;
    const isLater = (one: Said) => one.sender === 'visitor' && order(one, said) > 0;
    if (!this.said.some(isLater)) this.unread.delete(author.uuid);
  }

  /** Its bot begins or ends; what it leaves unanswered is everybody's. */
  use(isBot: boolean, people: readonly Person[]): void {
    if (isBot !== this.is_bot_use) this.history.push(`bot ${isBot}`);
    const isHandedOver = this.is_bot_use && !isBot && this.lastSide?.sender === 'visitor';
    this.is_bot_use = isBot;
    if (isHandedOver) this.isNewFor(people);
  }

  /** What a member or time changes. */
  set(fields: Partial<Pick<Talk, 'status' | 'snoozed_until' | 'assignee' | 'tags'>>, from: number): void {
    this.history.push(`set ${JSON.stringify(fields)}`);
    Object.assign(this, fields);
    this.changed = [from, Date.now()];
  }

  isNewFor(people: readonly Person[], isReadBy: (member: string) => boolean = () => false): void {
    for (const one of people) {
      if (this.isSeenBy(one) && !isReadBy(one.uuid)) this.unread.add(one.uuid);
    }
  }

  /** The last that a bot did not say. */
  get lastSide(): Said | undefined {
    return this.said.findLast(({ sender }) => sender !== 'bot');
  }

  get waiting(): { on: string | null; since: number | null } {
    const last = this.lastSide;
    if (!last || this.is_bot_use || this.status === 'done') return { on: null, since: null };
    let since = this.said.indexOf(last);
    while (this.said[since - 1]?.sender === last.sender) since--;
    return { on: last.sender === 'visitor' ? 'us' : 'visitor', since: this.said[since]?.at ?? null };
  }

  get answered(): number | null {
    const first = this.said.findIndex(({ sender }) => sender === 'visitor');
    const answer = this.said.find(({ sender }, at) => first >= 0 && at > first && sender === 'person');
    return answer?.at ?? null;
  }

  /** Between which times (milliseconds) it says that it was updated. */
  get updated(): [from: number, to: number] {
    const last = this.said.at(-1)?.at ?? this.created;
    return [Math.max(last, this.changed[0]), Math.max(last, this.changed[1])];
  }

  /** What the API says of it to a member, times in milliseconds. */
  shownTo(member: string) {
    const { uuid, label, widget, status, snoozed_until, assignee, tags, rating, is_bot_use } = this;
    return {
      ...{ uuid, label, widget, status, snoozed_until, assignee, tags, rating, is_bot_use },
      waiting_on: this.waiting.on,
      waiting_since: this.waiting.since,
      first_response_at: this.answered,
      is_unread: this.unread.has(member),
      last_message: this.said.at(-1)?.id ?? null,
      name: this.said.findLast(({ nickname }) => nickname !== '')?.nickname ?? '',
    };
  }
}

type Order = 'waiting' | 'updated';

/** Conversations in the order of a list; those that were changed at the same moment by their uuid. */
export const inOrder = (talks: readonly Talk[], by: Order): Talk[] => {
  const rankOf = (talk: Talk): number => {
    const { on, since } = talk.waiting;
    const isFirst = by === 'waiting' && talk.status === 'open' && on === 'us' && since !== null;
    return isFirst ? 1e14 - since : talk.updated[0];
  };
  return talks.toSorted((a, b) => rankOf(b) - rankOf(a) || (a.uuid < b.uuid ? 1 : -1));
};

/** The numbers of the side bar. */
export const countsOf = (
  talks: readonly Talk[],
  { uuid, widgets }: Person,
  all: { widgets: readonly string[]; tags: ReadonlySet<string> },
) => {
  const count = (fits: (talk: Talk) => boolean) =>
    talks.filter((one) => one.status === 'open' && fits(one)).length;
  const counted = (names: Iterable<string>, fits: (talk: Talk, name: string) => boolean) =>
    Object.fromEntries([...names].map((name) => [name, count((talk) => fits(talk, name))]));
  return {
    open: count(() => true),
    mine: count(({ assignee }) => assignee === uuid),
    unassigned: count(({ assignee }) => assignee === null),
    waiting: count(({ waiting }) => waiting.on === 'us'),
    unread: count(({ unread }) => unread.has(uuid)),
    snoozed: talks.filter(({ status }) => status === 'snoozed').length,
    widgets: counted(widgets ?? all.widgets, ({ widget }, name) => widget === name),
    tags: counted(all.tags, ({ tags }, name) => tags.includes(name)),
  };
};
