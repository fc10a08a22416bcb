// What the panel shows: every setting of a widget that its owner writes, in groups, and the page around it.

const texts = 'Empty: the visitor’s own language.';

/** Each group: its title, and its fields as `[setting, kind, label, hint or choices]`. */
export const GROUPS = [
  [
    'Texts',
    [
      ['header_title', 'text', 'Title', texts],
      ['header_subtitle', 'text', 'Line under the title'],
      ['chat_subtitle', 'text', 'The same, once the conversation runs', 'Empty: stays as it is.'],
      ['greeting_message', 'paragraph', 'Greeting', 'The first bubble, and the teaser.'],
      ['message_placeholder', 'text', 'Text field', texts],
      ['start_button_caption', 'text', 'Button', 'The launcher’s name, and the form’s button.'],
    ],
  ],
  [
    'Look',
    [
      ['color', 'color', 'Colour', 'Text on it turns black or white by itself.'],
      ['use_new_button', 'switch', 'Launcher with text'],
      ['place', 'place', 'Place on the screen'],
      ['logo_large', 'address', 'Logo', 'The address of a picture.'],
      ['is_show_bot_avatar', 'switch', 'Picture beside answers'],
      ['bot_avatar', 'address', 'That picture', 'Empty: the logo, else a drawn person.'],
      ['bot_message_position', 'choice', 'Answers stand', { left: 'Left', center: 'Centre', right: 'Right' }],
    ],
  ],
  [
    'Form before the chat',
    [
      ['is_ask_name', 'switch', 'Ask for the name'],
      ['is_ask_email', 'switch', 'Ask for the e-mail address'],
      ['is_ask_phone', 'switch', 'Ask for the phone number'],
      ['contact_message', 'paragraph', 'Above the form'],
      ['name_placeholder', 'text', 'Name of the name field', texts],
      ['email_placeholder', 'text', 'Name of the e-mail field', texts],
      ['phone_placeholder', 'text', 'Name of the phone field', texts],
    ],
  ],
  [
    'Behaviour',
    [
      ['popup_timeout', 'seconds', 'Teaser after (seconds)', 'Once a visit; 0: never.'],
      ['is_bot_use', 'switch', 'A bot answers first', 'Needs a published workflow.'],
      ['domain', 'address', 'Only on this site', 'No other gets it; the server’s own pages do.'],
      ['name', 'text', 'Your name for this chat', 'Visitors never see it.'],
    ],
  ],
];

/** What the widget is not told, but feels. The first choice of each is the usual one. */
export const SURROUNDINGS = [
  [
    'page',
    'Page',
    { '': 'Home', 'lamps.html': 'Lamps', 'repairs.html': 'Repairs', 'visit.html': 'Visit us' },
  ],
  ['case', 'Site', { '': 'As it is', 'hostile/': 'Hostile style sheet', 'strict/': 'Strictest policy' }],
  ['width', 'Screen', { '': 'This window', 768: 'Tablet, 768', 360: 'Phone, 360' }],
  ['scheme', 'Colours', { '': 'As the system', light: 'Light', dark: 'Dark' }],
  [
    'language',
    'Language',
    {
      en: 'English',
      ar: 'العربية',
      de: 'Deutsch',
      es: 'Español',
      fr: 'Français',
      he: 'עברית',
      hi: 'हिन्दी',
      it: 'Italiano',
      ja: '日本語',
      ko: '한국어',
      nl: 'Nederlands',
      pl: 'Polski',
      pt: 'Português',
      tr: 'Türkçe',
      zh: '中文',
    },
  ],
];
