import {
  type NewVisitorSession,
  type VisitorSession as PublicVisitorSession,
  SESSION_LIFETIME_MS,
} from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import { findBy } from '../../database/find-by.ts';
import { hasCome } from '../../database/has-come.ts';
import { type BrowserHeaders, deviceOf } from '../../http/device.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { newRoomLabel, newUuid } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { isAllowedOrigin } from '../widgets/domain.ts';
import type { StoredWidget } from '../widgets/widgets.model.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';
import type { VisitorSession, VisitorSessionModel } from './sessions.model.ts';
import { readVisitorToken, signVisitorToken } from './tokens.ts';

/** A visitor: its session, and the widget that it came through. */
export interface Visitor {
  session: VisitorSession;
  widget: StoredWidget;
}

/** What the browser says of itself when it opens the chat. */
export interface Browser extends BrowserHeaders {
  origin: string;
}

const CLOSED_READ_AT_ONCE = 100;

/** What a session says of its visitor, when it says nothing. */
const FORGOTTEN = { page: { url: '', title: '', referrer: '' }, locale: '', device: '' };

/** Visitor sessions: what lets a browser post without a secret of the account (docs/contract.md#visitors). */
export class SessionsService {
  readonly #sessions: VisitorSessionModel;
  readonly #byId: (id: string) => Promise<VisitorSession | undefined>;
  readonly #widgets: Pick<WidgetsService, 'byToken' | 'byId'>;
  readonly #secrets: Secrets;

  constructor(
    sessions: VisitorSessionModel,
    widgets: Pick<WidgetsService, 'byToken' | 'byId'>,
    secrets: Secrets,
  ) {
    this.#sessions = sessions;
    this.#byId = findBy(sessions, '_id', {});
    this.#widgets = widgets;
    this.#secrets = secrets;
  }

  /**
   * Reserves a room for a new visitor; nothing else exists until the first message or lead.
   * @param count is called once nothing else refuses the session, right before it is stored: what it throws opens none
   * @throws ParlorError `not_found` for an unknown widget, `forbidden` for an origin that its domain excludes.
   */
  async open(
    widgetToken: string,
    given: NewVisitorSession,
    browser: Browser,
    count: () => Promise<void>,
  ): Promise<PublicVisitorSession> {
    const widget = await this.#widgetFor(widgetToken, browser.origin);
    await count();
    const now = new Date();
    const session: VisitorSession = {
      _id: newUuid(),
      account: widget.account,
      widget: widget._id,
      room: newUuid(),
      label: newRoomLabel(),
      page: given.page ?? { url: '', title: '', referrer: '' },
      locale: given.locale,
      device: deviceOf(browser),
      created_at: now,
      expires_at: new Date(now.getTime() + SESSION_LIFETIME_MS),
    };
    await this.#sessions.insertOne(session);
    return this.#present(session, session.expires_at);
  }

  /** A fresh token for a session that goes on; the earlier one stays good until it runs out. */
  async renew(widgetToken: string, { session, widget }: Visitor): Promise<PublicVisitorSession> {
    if (widget.token !== widgetToken) throw notFound();
    const expires = new Date(Date.now() + SESSION_LIFETIME_MS);
    await this.#sessions.updateOne({ _id: session._id }, { $max: { expires_at: expires } });
    return this.#present(session, expires);
  }

  /**
   * Who a token stands for; undefined when it is not whole, ran out, was erased, or lost its widget.
   * @throws ParlorError `forbidden` when the widget's domain excludes the origin.
   */
  async byToken(token: string, origin: string): Promise<Visitor | undefined> {
    const claims = readVisitorToken(this.#secrets, token, new Date());
    const session = claims && (await this.#byId(claims.session));
    const widget = session && (await this.#widgets.byId(session.widget));
    if (!session || session.closed_at || !widget) return undefined;
    if (!isAllowedOrigin(widget.domain, origin)) throw forbidden();
    return { session, widget };
  }

  /**
   * Ends a session for ever, and forgets what it says of its visitor.
   * @throws ParlorError `not_found` when the visitor came through another widget.
   */
  async close(widgetToken: string, { session, widget }: Visitor): Promise<VisitorSession> {
    if (widget.token !== widgetToken) throw notFound();
    const now = new Date();
    const forgotten = { closed_at: now, ...FORGOTTEN };
    // It says what is still to be erased, and does not run out before that.
    const expires_at = new Date(now.getTime() + SESSION_LIFETIME_MS);
    await this.#sessions.updateOne({ _id: session._id }, { $set: forgotten, $max: { expires_at } });
    return session;
  }

  /** Forgets what the session that reserved a room says of its visitor, who may begin anew there. */
  async forget(room: string): Promise<void> {
    await this.#sessions.updateOne({ room }, { $set: FORGOTTEN });
  }

  /** The sessions that were closed before `time`, the oldest first. */
  closedBefore(time: Date): AsyncIterable<VisitorSession> {
    return this.#sessions
      .find(hasCome('closed_at', time))
      .sort({ closed_at: 1 })
      .lean<VisitorSession[]>()
      .cursor({ batchSize: CLOSED_READ_AT_ONCE });
  }

  async remove(id: string): Promise<void> {
    await this.#sessions.deleteOne({ _id: id });
  }

  /** The sessions of a widget go with it; closed ones say what is still to be erased. */
  async removeAllOf(widget: string): Promise<void> {
    await this.#sessions.deleteMany({ widget, closed_at: { $exists: false } });
  }

  /** Which of these sessions are still good, as far as their widget is. */
  async alive(ids: readonly string[]): Promise<Set<string>> {
    const found = await this.#sessions.find({ _id: { $in: ids as string[] } }, { closed_at: 1 }).lean();
    return new Set(found.filter(({ closed_at }) => !closed_at).map(({ _id }) => _id));
  }

  async #widgetFor(token: string, origin: string): Promise<StoredWidget> {
    const widget = await this.#widgets.byToken(token);
    if (!widget) throw notFound();
    if (!isAllowedOrigin(widget.domain, origin)) throw forbidden();
    return widget;
  }

  #present(session: VisitorSession, expires: Date): PublicVisitorSession {
    return {
      token: signVisitorToken(this.#secrets, { session: session._id, expires }),
      expires_at: isoDatetime(expires),
      room: { uuid: session.room, label: session.label },
    };
  }
}
