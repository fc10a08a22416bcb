/** What the form says. */
export const texts = {
  needed: 'Please fill in this field.',
  badEmail: 'Please enter a valid e-mail address.',
  badPhone: 'Please enter a valid phone number.',
};
