/**
 * Whether a browser's request may come from `origin` when the owner set `domain` (docs/contract.md#visitors):
 * the domain's host and its subdomains, whatever scheme and port. Requests without an Origin are not a
 * browser's, and pass.
 */
export const isAllowedOrigin = (domain: string, origin: string): boolean => {
  if (domain === '' || origin === '') return true;
  if (!URL.canParse(domain) || !URL.canParse(origin)) return false;
  const allowed = new URL(domain).hostname;
  const { hostname } = new URL(origin);
  return hostname === allowed || hostname.endsWith(`.${allowed}`);
};
