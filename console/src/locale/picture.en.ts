/** What is said of a member's own picture in English. */
export const en = {
  title: 'Picture',
  hint: 'Visitors and colleagues see it beside what you write.',
  choose: 'Choose a picture',
  other: 'Choose another',
  save: 'Save picture',
  remove: 'Remove picture',
  ways: 'You can also drop one here, or paste it. The middle of it is taken; where and when it was made is left out.',
  preview: 'How your picture will look',
  saved: 'Your picture is saved.',
  removed: 'Your picture is removed.',
  unreadable: 'Your browser finds no picture in it. Choose a PNG, JPEG or WebP.',
};

export type PictureWords = typeof en;
