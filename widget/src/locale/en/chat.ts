/** What the window says until something has been said. */
export const texts = {
  open: 'Open chat',
  close: 'Close chat',
  chat: 'Chat',
  message: 'Write a message…',
  send: 'Send',
  you: 'You',
  support: 'Support',
  sending: 'Sending',
  menu: 'Menu',
  dismiss: 'Dismiss',
};
