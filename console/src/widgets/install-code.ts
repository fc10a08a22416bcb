/** The ways to put a widget on a site, in the order in which they are offered. */
export const WAYS = ['html', 'tagManager', 'react', 'wordpress', 'shopify'] as const;
export type Way = (typeof WAYS)[number];

/** What is copied for each way. @param server the address of this server, without a slash at its end */
export const installCode = (way: Way, server: string, token: string): string => {
  const source = `${server}/widget.js`;
  const tag = `<script src="${source}" data-token="${token}" async></script>`;
  switch (way) {
    // It takes every `data-` attribute off a script, and wants no newer JavaScript.
    case 'tagManager':
      return `<script>
  (function () {
    var script = document.createElement('script');
    script.src = '${source}';
    script.setAttribute('data-token', '${token}');
    document.head.appendChild(script);
  })();
</script>`;
    case 'react':
      return `import { useEffect } from 'react';

export function Chat() {
  useEffect(() => {
    if (document.querySelector('script[data-token]')) return;
    const script = document.createElement('script');
    script.src = '${source}';
    script.dataset.token = '${token}';
    document.head.append(script);
  }, []);
  return null;
}`;
    case 'wordpress':
      return `add_action( 'wp_footer', function () {
  echo '${tag}';
} );`;
    default:
      return tag;
  }
};

/** What a site's own policy has to allow (docs/contract.md#widget). */
export const policyFor = (server: string): string =>
  `script-src ${server}; connect-src ${server} ${server.replace(/^http/, 'ws')}; img-src ${server} data:`;
