/** The token behind the number sign of a link, which from then on stands in no history any more; empty without one. */
export const takeToken = (): string => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
};
