/** What the menu says. */
export const texts = {
  soundOn: 'Turn sound on',
  soundOff: 'Turn sound off',
  rate: 'Rate this conversation',
  stars: 'Stars',
  thanks: 'Thank you!',
  erase: 'Delete my data',
  eraseAsk: 'Delete this conversation and all you told us, for good?',
  eraseYes: 'Delete',
  cancel: 'Cancel',
  notDone: 'That did not work. Please try again.',
};
