/** What the window says until something has been said. */
export const texts = {
  close: 'Close chat',
  chat: 'Chat',
  send: 'Send',
  you: 'You',
  support: 'Support',
  sending: 'Sending',
  menu: 'Menu',
  dismiss: 'Dismiss',
};
