import type { Conversation, Member, Message, TimelineItem } from '@parlor/shared';

/** Plain data for the pieces: people, conversations, and what is said in one. */

export const UUIDS = {
  room: '0198c1d2-0000-7000-8000-000000000001',
  quietRoom: '0198c1d2-0000-7000-8000-000000000002',
  brokenRoom: '0198c1d2-0000-7000-8000-000000000003',
  grace: '0198c1d2-0000-7000-8000-0000000000a1',
  hedy: '0198c1d2-0000-7000-8000-0000000000b7',
} as const;

/** Of the files that are served with the console. */
export const PICTURE = '/console/icon-192.png';

export const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
export const ARABIC = 'هل يمكنكم توصيل الطلب غدًا قبل الساعة العاشرة؟';

const MINUTE_MS = 60_000;

/** A moment before now. */
export const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * MINUTE_MS).toISOString();

const member = (uuid: string, name: string, avatar: string | null = null): Member => ({
  uuid,
  username: name.toLowerCase(),
  email: `${name.toLowerCase()}@example.com`,
  name,
  avatar,
  role: 'operator',
  widgets: null,
  is_away: false,
  has_password: true,
  has_totp: false,
  invitation_expires_at: null,
  created_at: minutesAgo(100_000),
  seen_at: minutesAgo(2),
});

export const GRACE = member(UUIDS.grace, 'Grace Hopper', PICTURE);
export const HEDY = member(UUIDS.hedy, 'Hedy Lamarr');

let made = 0;
const id = (): string => `0198c1d2-0000-7000-8000-${String(++made).padStart(12, '0')}`;

const message = (body: string, at: string, more: Partial<Message> = {}): Message => ({
  uuid: id(),
  nickname: 'Ada Lovelace',
  email: 'ada@example.com',
  phone_number: '',
  body,
  is_support_sender: false,
  is_bot: false,
  sent_at: at,
  ...more,
});

const said = (body: string, minutes: number, more: Partial<Message> = {}): TimelineItem => {
  const at = minutesAgo(minutes);
  return { kind: 'message', at, ...message(body, at, more) };
};

const byGrace = {
  is_support_sender: true,
  nickname: '',
  author: { uuid: UUIDS.grace, name: GRACE.name, avatar: GRACE.avatar },
};

/** Newest first, as the API answers. */
export const TIMELINE: readonly TimelineItem[] = [
  said('Thursday before ten is perfect. Thank you!', 3),
  said('It leaves today: https://parcels.example.com/track/4711', 8, byGrace),
  said('I have found your order.', 9, byGrace),
  {
    kind: 'note',
    at: minutesAgo(12),
    uuid: id(),
    body: '@hedy she has ordered twice, only the second one counts.',
    author: { uuid: UUIDS.grace, name: GRACE.name, avatar: GRACE.avatar },
    mentions: [UUIDS.hedy],
    created_at: minutesAgo(12),
    edited_at: null,
  },
  {
    kind: 'event',
    at: minutesAgo(14),
    uuid: id(),
    by: { uuid: UUIDS.grace, name: GRACE.name },
    changes: [
      { field: 'assignee', from: null, to: UUIDS.grace },
      { field: 'tags', added: ['delivery'], removed: [] },
    ],
  },
  said('A colleague will be with you in a moment.', 20, {
    is_support_sender: true,
    is_bot: true,
    nickname: '',
  }),
  said(ARABIC, 21),
  said(`Order ${LONG}, when does it come?`, 22),
  said('Good morning!', 1_500),
];

/** A conversation, of which the rest is as usual. */
export const conversation = (
  name: string,
  body: string,
  more: Partial<Omit<Conversation, 'visitor'>> & { visitor?: Partial<Conversation['visitor']> } = {},
): Conversation => ({
  uuid: id(),
  label: '',
  widget: null,
  status: 'open',
  snoozed_until: null,
  waiting_on: null,
  waiting_since: null,
  first_response_at: null,
  assignee: null,
  tags: [],
  rating: null,
  is_bot_use: false,
  created_at: minutesAgo(90),
  updated_at: minutesAgo(30),
  name: '',
  is_unread: false,
  last_message: message(body, minutesAgo(30), { nickname: name }),
  ...more,
  visitor: {
    name,
    email: '',
    phone_number: '',
    is_online: false,
    page: { url: 'https://shop.example.com/lamps', title: 'Lamps' },
    device: 'Chrome 140 on Android, mobile',
    locale: 'en',
    referrer: '',
    first_seen_at: minutesAgo(90),
    ...more.visitor,
  },
});
