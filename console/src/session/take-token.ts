/** What stands behind the number sign of a link, and from then on in no history any more; empty without it. */
export const takeToken = (name = 'token'): string => {
  const token = new URLSearchParams(location.hash.slice(1)).get(name) ?? '';
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
};
