/** English, which stands in where another language has no words yet. */
export const en = {
  common: {
    save: 'Save',
    saved: 'Saved',
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
    retry: 'Try again',
    remove: 'Remove',
    loading: 'Loading …',
    back: 'Back',
    continue: 'Continue',
  },
  errors: {
    unreachable: 'Parlor can’t be reached. Your input is kept: try again in a moment.',
    unexpected: 'That did not work. Try again in a moment.',
    page: 'This page could not be loaded.',
    offline: 'Parlor can’t be reached.',
    throttled: (seconds: number) => `Too many tries. Try again in ${seconds} seconds.`,
  },
  /** What the server says of fields, by its own words; what is not here is shown as it comes. */
  server: {
    'Unable to log in with provided credentials.': 'Username or password are not right.',
  },
  signIn: {
    title: 'Sign in',
    username: 'Username',
    password: 'Password',
    show: 'Show password',
    hide: 'Hide password',
    submit: 'Sign in',
    codeTitle: 'Two-step sign-in',
    codeHint: 'Enter the code that your authenticator app shows, or one of your recovery codes.',
    code: 'Code',
    ended: 'Your session has ended. Sign in again to go on.',
    other: 'Sign in as somebody else',
    provider: (name: string) => `Sign in with ${name}`,
  },
  invitation: {
    title: 'Welcome to Parlor',
    hint: 'Choose how you sign in from now on.',
    password2: 'Password, once more',
    submit: 'Join',
    incomplete: 'This link is incomplete. Open it as it was sent to you.',
    toSignIn: 'You have an account already? Sign in',
  },
  shell: {
    settings: 'Settings',
    profile: 'Profile',
    security: 'Security',
    team: 'Team',
    signOut: 'Sign out',
    menu: 'Menu',
    skip: 'Skip to content',
    notFound: 'There is nothing at this address.',
    home: 'Go to the start',
    away: 'Away',
  },
  profile: {
    title: 'Profile',
    name: 'Name',
    nameHint: 'Visitors see it beside what you write. Your username they never see.',
    away: 'I am away',
    awayHint: 'No conversation is assigned to you meanwhile.',
    username: 'Username',
    email: 'E-mail',
  },
  security: {
    title: 'Security',
    password: 'Password',
    oldPassword: 'Present password',
    newPassword: 'New password',
    newPassword2: 'New password, once more',
    change: 'Change password',
    changed: 'Your password is changed, and your other browsers are signed out.',
    factor: 'Two-step sign-in',
    factorOff: 'Besides your password, a code from your phone: whoever learns your password can’t sign in.',
    factorOn: 'It is on: sign-in asks for a code besides your password.',
    factorNeeded: 'Your account asks each member for two-step sign-in. Set it up to go on.',
    setUp: 'Set it up',
    turnOff: 'Turn it off',
    confirmPassword: 'First, your password',
    scan: 'Scan this with your authenticator app, or type the key into it.',
    key: 'Key',
    enter: 'Then enter the code that it shows.',
    confirm: 'Turn it on',
    recovery: 'Recovery codes',
    recoveryHint:
      'Each stands in for a code, once, when your phone is lost. They are shown this one time: keep them somewhere safe.',
    recoveryDone: 'I have kept them',
    required: 'Ask each member for two-step sign-in',
    requiredHint: 'Whoever has none sets it up at the next sign-in, before anything else.',
    requiredNeedsOwn: 'Set up your own first.',
    sessions: 'Where you are signed in',
    thisBrowser: 'This browser',
    lastSeen: (when: string) => `Last seen ${when}`,
    endSession: 'Sign out',
  },
  team: {
    title: 'Team',
    hint: 'Everybody who works on this account.',
    invite: 'Invite',
    inviteTitle: 'Invite somebody',
    email: 'E-mail',
    name: 'Name',
    role: 'Role',
    roles: { owner: 'Owner', admin: 'Admin', operator: 'Operator' },
    roleHints: {
      owner: 'Everything, also what concerns the account itself.',
      admin: 'Everything but owners and the account itself.',
      operator: 'Conversations and leads.',
    },
    optional: 'optional',
    createLink: 'Create the link',
    linkTitle: 'Send this link',
    linkHint: (email: string) =>
      `Whoever opens it joins as ${email}. It is good once, for 7 days, and is not shown again.`,
    invited: (when: string) => `Invited, until ${when}`,
    you: 'You',
    secondFactor: 'Two-step sign-in',
    actions: (name: string) => `Change ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeHint: 'Sessions, tokens and open windows of this person end at once.',
    newLink: 'Make a new link',
  },
} as const;

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { readonly [K in keyof T]: Widened<T[K]> };

/** The words of a language. */
export type Words = Omit<Widened<typeof en>, 'server'> & {
  readonly server: Readonly<Record<string, string>>;
};
