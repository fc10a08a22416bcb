/** A page that a `CookieBrowser` has come to. */
export interface VisitedPage {
  url: string;
  status: number;
  headers: Headers;
  text: string;
  /** The addresses on the way, the first one and this one too. */
  way: string[];
}

/** As much of a browser as forms, redirects and cookies need; scripts and rules between sites need a real one. */
export class CookieBrowser {
  /** By name: all servers of a test have the same host, and cookies know no ports. */
  readonly cookies = new Map<string, string>();
  /** Each Set-Cookie line that came. */
  readonly cookieLines: string[] = [];

  /** Where it does not go on to, by a part of the address: such a redirect is a page. */
  stopAt: string | undefined;

  async visit(address: string, init: RequestInit = {}): Promise<VisitedPage> {
    const way: string[] = [];
    let [url, options] = [address, init];
    for (;;) {
      way.push(url);
      const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
      const answer = await fetch(url, {
        ...options,
        redirect: 'manual',
        headers: { Accept: 'text/html', ...(cookie && { Cookie: cookie }), ...options.headers },
      });
      this.#keep(answer.headers.getSetCookie());
      const location = answer.headers.get('Location');
      const isStop = this.stopAt !== undefined && location?.includes(this.stopAt);
      if (!location || isStop || answer.status < 300 || answer.status >= 400) {
        const { status, headers } = answer;
        return { url, status, headers, text: await answer.text(), way };
      }
      await answer.body?.cancel();
      url = new URL(location, url).href;
      options = {};
      if (way.length > 20) throw new Error(`too many redirects: ${way.join(' ')}`);
    }
  }

  /** Sends the page's only form, with what it holds and `typed`. */
  submit({ url, text }: VisitedPage, typed: Record<string, string>): Promise<VisitedPage> {
    const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1] ?? '';
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    );
    const body = new URLSearchParams([...hidden, ...Object.entries(typed)] as [string, string][]);
    return this.visit(new URL(action, url).href, { method: 'POST', body });
  }

  #keep(lines: string[]): void {
    for (const line of lines) {
      this.cookieLines.push(line);
      const [pair = ''] = line.split(';');
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
      const expires = /;\s*expires=([^;]+)/i.exec(line)?.[1];
      if (value === '' || (expires && Date.parse(expires) <= Date.now())) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
