import type { Host } from '../contract/host.ts';
import type { Widget } from '../contract/server.ts';

/** The widget's settings with their texts in that language; none where they can't be had. */
export async function settingsIn({ server, token }: Host, locale: string): Promise<Partial<Widget>> {
  const answer = await fetch(`${server}api/v1/widgets/?token=${token}&locale=${locale}`);
  return answer.ok ? answer.json() : {};
}
