import type { Locale } from '@parlor/shared';
import { newIdempotencyKey } from '@parlor/shared/idempotency-key';
import { SESSION_LIFETIME_MS } from '@parlor/shared/limits';
import { lookupLocale } from '@parlor/shared/locales';
import { fillWidgetTexts } from '@parlor/shared/widget-texts';
import type { Shown } from './messages.ts';
import { pushFrame } from './pretend-socket.ts';

/** The teaser comes after this long at most: who sets its seconds is not to wait for them (seconds). */
const MAX_TEASER_S = 2;

/** When the other side begins to write, and when it has written (milliseconds). */
const WRITES_AFTER_MS = 600;
const ANSWERS_AFTER_MS = 1_500;

/** One as keys have it: pages that are served over plain http have no `crypto.randomUUID`. */
const newUuid = (): string => newIdempotencyKey(Date.now());

const ROOM = { uuid: newUuid(), label: 'preview' };

interface PretendMessage {
  uuid: string;
  body: string;
  nickname: string;
  is_support_sender: boolean;
  is_bot: boolean;
  sent_at: string;
}

const said: PretendMessage[] = [];
const say = (body: string, nickname: string, is_support_sender: boolean): PretendMessage => {
  const sent_at = new Date().toISOString().replace('Z', '+00:00');
  const message = { uuid: newUuid(), body, nickname, is_support_sender, is_bot: false, sent_at };
  said.unshift(message);
  return message;
};

const json = (body: unknown, status = 200): Response => {
  const headers = { 'Content-Type': 'application/json' };
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
};

/** The settings as a visitor of the first language that the widget speaks gets them. */
const settingsFor = ({ settings }: Shown, wanted: string): object => {
  const locale: Locale = lookupLocale(wanted.split(','));
  const filled = fillWidgetTexts(settings, locale);
  return { ...filled, popup_timeout: Math.min(settings.popup_timeout, MAX_TEASER_S) };
};

const answerLater = ({ answer }: Shown): void => {
  const typing = (is_typing: boolean) =>
    pushFrame({
      type: 'typing',
      room: ROOM,
      data: { sender: 'support', nickname: answer.nickname, is_typing },
    });
  setTimeout(typing, WRITES_AFTER_MS, true);
  setTimeout(() => {
    typing(false);
    pushFrame({ type: 'message.added', room: ROOM, data: say(answer.body, answer.nickname, true) });
  }, ANSWERS_AFTER_MS);
};

/** Answers the widget in the place of the API: what visitors do here reaches no server. */
export const pretendAnswer = async (
  shown: Shown,
  url: URL,
  method: string,
  body: unknown,
): Promise<Response> => {
  const path = url.pathname.replace(/^\/api\/v1\//, '');
  if (path === 'widgets/') return json(settingsFor(shown, url.searchParams.get('locale') ?? ''));
  if (path.endsWith('/sessions/')) {
    if (method === 'DELETE') {
      said.length = 0;
      return json(undefined, 204);
    }
    const expires_at = new Date(Date.now() + SESSION_LIFETIME_MS).toISOString();
    return json({ token: 'preview', expires_at, room: ROOM }, 201);
  }
  if (path === 'messages/') {
    if (method !== 'POST') return json(said);
    const { body: text = '', nickname = '' } = JSON.parse(String(body)) as Partial<PretendMessage>;
    answerLater(shown);
    return json(say(text, nickname, false), 201);
  }
  return json({ uuid: newUuid() }, method === 'POST' ? 201 : 200);
};
