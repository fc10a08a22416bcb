/**
 * Why the server does not give the widget's configuration, and what the page's owner can do about it.
 */
export function explain({ status }: Response, { token }: { token: string }): string {
  if (status === 403)
    return `This widget may not run on ${location.host}: its setting "domain" names another site. Change it, or leave it empty.`;
  if (status === 404)
    return `There is no widget with the token "${token}". Copy the script tag from the widget's settings once more.`;
  return `The server answered ${status}. The widget comes when the page is loaded again.`;
}
