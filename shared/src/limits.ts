/**
 * The limits that the server keeps and its clients know (docs/limits.md#both-sides): each number stands here alone.
 * Lengths are in Unicode code points. Constants only, so that the widget takes in no more than it uses.
 */

/** A message; also a note, a draft, a saved reply, and an answer that a bot gives. */
export const MAX_MESSAGE = 10_000;

/** What a visitor says of itself; an address is as long as a path may be (RFC 5321, 4.5.3.1.3). */
export const MAX_NICKNAME = 150;
export const MAX_EMAIL = 254;
export const MAX_PHONE = 32;

/** The page that a visitor is on; its address, and that of the page before. */
export const MAX_PAGE_TITLE = 300;
export const MAX_PAGE_URL = 2_000;

/** Names that members give. */
export const MAX_MEMBER_NAME = 100;
export const MAX_TOKEN_NAME = 100;
export const MAX_REPLY_NAME = 100;
export const MAX_WORKFLOW_NAME = 200;

/** A member's picture: its bytes, and its width and height in pixels. */
export const MAX_AVATAR_BYTES = 131_072;
export const MAX_AVATAR_SIDE = 1_024;

/** A saved reply's shortcut, without the slash; as it is written and folded. */
export const MAX_SHORTCUT = 32;

/** A keyword, as it is written and folded. */
export const MAX_KEYWORD = 100;
/** The keywords that a notification names; the others are counted. */
export const MAX_NAMED_KEYWORDS = 20;

/** One tag, and the tags of a conversation. */
export const MAX_TAG = 40;
export const MAX_TAGS = 20;

/** Conversations that one bulk change may name. */
export const MAX_BULK = 500;

/** Conversations are counted up to this, which stands for "or more". */
export const MAX_COUNT = 1_000;

/** Objects on a page of a list. */
export const MAX_PAGE_SIZE = 1_000;

/** What is searched for, and its words, more than anybody looks for; a run without spaces is one. */
export const MAX_QUERY = 200;
export const MAX_QUERY_WORDS = 20;

/** Mistakes of one request that are told: more than anybody reads. No list is looked at beyond as many. */
export const MAX_ISSUES = 100;

/** A workflow: its nodes, a node's id, what a node says, and what it keeps an answer under. */
export const MAX_NODES = 500;
export const MAX_NODE_ID = 64;
export const MAX_NODE_TEXT = 4_000;
export const MAX_VARIABLE = 40;

/** What a condition compares with, and its branches; what a lead node fills in. */
export const MAX_BRANCH_VALUE = 1_000;
export const MAX_BRANCHES = 50;
export const MAX_LEAD_TEMPLATE = 1_000;

/** Leads that a bot takes in one conversation. */
export const MAX_BOT_LEADS = 100;

/** What a node gives to a language model, and the model's name. */
export const MAX_PROMPT = 20_000;
export const MAX_MODEL_NAME = 200;

/** The longest answer that a node may ask a language model for, in tokens. */
export const MAX_ANSWER_TOKENS = 100_000;

/** Questions with their answer, of one node. */
export const MAX_FAQ_ENTRIES = 1_000;

/** How long a visitor's session lasts, unless it is renewed. */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;

/** Who has not said again that it types has stopped; who goes on says so this often, and not more. */
export const TYPING_ENDS_AFTER_MS = 6_000;
export const TYPING_AGAIN_AFTER_MS = 3_000;

/** The same for a member who views a room. */
export const VIEWING_ENDS_AFTER_MS = 30_000;
export const VIEWING_AGAIN_AFTER_MS = 10_000;

/** How often a client asks a live connection that says nothing whether it is there: 60 s of silence end it for proxies. */
export const PING_EVERY_MS = 25_000;

/** A frame that a client sends (UTF-8). */
export const MAX_FRAME_BYTES = 16_384;

/** Unread messages are counted up to this, which stands for "or more"; in this many rooms at once. */
export const MAX_UNREAD = 100;
export const MAX_UNREAD_ROOMS = 50;

/** Rooms that a member narrows a live connection to. */
export const MAX_FOLLOWED_ROOMS = 300;

/** Closes a live connection whose credential did not come in time, is wrong, or has ended. */
export const NOT_AUTHENTICATED = 4401;

/** How the server closes a live connection. */
export const CLOSE_CODES = {
  /** The server stops; come back in a moment, to this one or another. */
  going_away: 1001,
  /** What the client sent is no frame of this channel, or it sends too many. */
  violation: 1008,
  /** A frame is larger than `MAX_FRAME_BYTES`. */
  too_large: 1009,
  /** The client does not read, or the server can't serve it now: come back later. */
  try_again: 1013,
  not_authenticated: NOT_AUTHENTICATED,
} as const;
