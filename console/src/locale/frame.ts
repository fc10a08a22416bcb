import { en, type Words } from './en.ts';

/** What stands around every page, and before one is signed in: the least that a language has. */
export interface FrameWords
  extends Pick<Words, 'common' | 'errors' | 'signIn' | 'invitation' | 'reset' | 'shell'> {
  readonly inbox: Pick<Words['inbox'], 'title' | 'views' | 'widgets' | 'tags' | 'undo' | 'offline'>;
  readonly search: Pick<Words['search'], 'title' | 'everything' | 'kindsOf'>;
  readonly team: Pick<Words['team'], 'roles'>;
  readonly server: Readonly<Record<FrameSentence, string>>;
}

/** A page whose title is its name in the navigation. */
export type PageTitle =
  | 'leads'
  | 'reports'
  | 'keywords'
  | 'widgets'
  | 'workflows'
  | 'webhooks'
  | 'tokens'
  | 'account';

/** What the server answers to the frame's forms, and to whoever may not do something. */
export type FrameSentence =
  | 'Unable to log in with provided credentials.'
  | 'This link is not good, has run out or was used.'
  | 'This invitation is not good, has run out or was used.'
  | 'This field may not be blank.'
  | 'This field is required.'
  | 'This field must be unique.'
  | 'Enter a valid email address.'
  | 'A user with that username already exists.'
  | 'A user with that email already exists.'
  | 'This code is not good.'
  | 'The password is too similar to the username.'
  | 'The password is too similar to the email.'
  | 'This password is too common.'
  | 'This password is entirely numeric.'
  | "The two password fields didn't match."
  | 'You do not have permission to perform this action.';

/** All words of a language that has the frame's: the rest is English. */
export const completed = (frame: FrameWords): Words => {
  const { shell } = frame;
  return {
    ...en,
    ...frame,
    inbox: { ...en.inbox, ...frame.inbox },
    search: { ...en.search, ...frame.search },
    replies: { ...en.replies, title: shell.replies },
    profile: { ...en.profile, title: shell.profile },
    security: { ...en.security, title: shell.security },
    team: { ...en.team, ...frame.team, title: shell.team },
    audit: { ...en.audit, title: shell.audit },
    server: { ...en.server, ...frame.server },
  };
};
