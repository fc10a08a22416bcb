import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that files took in `.ci/run`, beside two others on two cores, where it was 20 or more. Only the division of a run
 * into parts goes by them: a wrong figure makes one part longer than the others, and no test is left out.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'console/test/bulk.test.ts': 22,
  'console/test/cut-sockets.test.ts': 28,
  'console/test/inbox-answers.test.ts': 26,
  'console/test/inbox-live.test.ts': 39,
  'console/test/inbox.test.ts': 54,
  'console/test/lead-deletion.test.ts': 25,
  'console/test/leads.test.ts': 25,
  'console/test/long-conversation.test.ts': 60,
  'console/test/long-list.test.ts': 22,
  'console/test/lost-chunks.test.ts': 30,
  'console/test/mails.test.ts': 54,
  'console/test/people.test.ts': 53,
  'console/test/pictures.test.ts': 61,
  'console/test/search-place.test.ts': 45,
  'console/test/search.test.ts': 21,
  'console/test/widgets.test.ts': 42,
  'console/test/workflows.test.ts': 24,
  'demo/test/api-docs.test.ts': 23,
  'demo/test/first-message.test.ts': 22,
  'demo/test/member-session.test.ts': 27,
  'demo/test/oidc.test.ts': 23,
  'demo/test/panel.test.ts': 88,
  'server/embedded-mongodb/test/compact.test.ts': 50,
  'server/embedded-mongodb/test/differential/same-answers.test.ts': 28,
  'server/embedded-mongodb/test/kill.test.ts': 40,
  'server/src/features/access/rights.test.ts': 37,
  'server/src/features/access/room-widgets.test.ts': 36,
  'server/src/features/accounts/account-import.test.ts': 40,
  'server/src/features/agent/llm/llm.test.ts': 26,
  'server/src/features/search/plain-model.test.ts': 24,
  'server/test/account-deletion-kill.test.ts': 40,
  'server/test/agent-kill.test.ts': 41,
  'server/test/audit-processes.test.ts': 37,
  'server/test/audit.test.ts': 42,
  'server/test/backup.test.ts': 85,
  'server/test/broken-connections.test.ts': 55,
  'server/test/cli-beside-server.test.ts': 129,
  'server/test/cli.test.ts': 44,
  'server/test/colleagues.test.ts': 47,
  'server/test/connections.test.ts': 28,
  'server/test/conversations.test.ts': 27,
  'server/test/database-copy.test.ts': 74,
  'server/test/examples.test.ts': 28,
  'server/test/explain.test.ts': 62,
  'server/test/fatal.test.ts': 26,
  'server/test/first-message.test.ts': 53,
  'server/test/full-disk.test.ts': 33,
  'server/test/fuzz.test.ts': 50,
  'server/test/keys-rotate.test.ts': 100,
  'server/test/laws.test.ts': 21,
  'server/test/lost-answers.test.ts': 69,
  'server/test/members-kill.test.ts': 97,
  'server/test/oidc-outage.test.ts': 40,
  'server/test/oidc-way-back.test.ts': 32,
  'server/test/password-reset.test.ts': 31,
  'server/test/proxies-live.test.ts': 30,
  'server/test/proxies-trust.test.ts': 47,
  'server/test/proxies.test.ts': 96,
  'server/test/realtime-counts.test.ts': 29,
  'server/test/realtime-database.test.ts': 21,
  'server/test/realtime-limits.test.ts': 42,
  'server/test/realtime-processes.test.ts': 36,
  'server/test/realtime-restricted.test.ts': 35,
  'server/test/realtime-session.test.ts': 49,
  'server/test/realtime.test.ts': 22,
  'server/test/response-bounds.test.ts': 23,
  'server/test/search-kill.test.ts': 47,
  'server/test/start-refused.test.ts': 30,
  'server/test/start.test.ts': 30,
  'server/test/stop.test.ts': 65,
  'server/test/tenancy-restricted.test.ts': 24,
  'server/test/tenancy.test.ts': 50,
  'server/test/turns.test.ts': 35,
  'server/test/webhooks-crash.test.ts': 130,
  'server/test/widget-files.test.ts': 25,
  'server/test/wire.test.ts': 58,
  'widget/test/alignment.browser.test.ts': 22,
  'widget/test/api.browser.test.ts': 28,
  'widget/test/bot.browser.test.ts': 28,
  'widget/test/isolation.browser.test.ts': 23,
  'widget/test/looks.browser.test.ts': 50,
  'widget/test/pages.browser.test.ts': 43,
  'widget/test/pictures.browser.test.ts': 90,
  'widget/test/places.browser.test.ts': 41,
  'widget/test/proxy.browser.test.ts': 34,
  'widget/test/schedules.browser.test.ts': 86,
  'widget/test/sending.browser.test.ts': 63,
  'widget/test/settings.browser.test.ts': 47,
  'widget/test/talk.browser.test.ts': 35,
  'widget/test/window.browser.test.ts': 30,
  'widget/test/xss.browser.test.ts': 57,
};

/** What the others take on average. */
const OTHERS_SECONDS = 5;

/** Divides the files of `--shard` so that all parts take about as long: the longest first, each to the part with the least. */
export class EvenParts extends BaseSequencer {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, shard } = this.ctx.config;
    if (!shard) return files;
    const timed = files.map((spec) => {
      const path = relative(root, spec.moduleId).replaceAll('\\', '/');
      return { spec, path, seconds: SECONDS[path] ?? OTHERS_SECONDS };
    });
    timed.sort((a, b) => b.seconds - a.seconds || (a.path < b.path ? -1 : 1));
    const parts = Array.from({ length: shard.count }, () => ({
      seconds: 0,
      specs: [] as TestSpecification[],
    }));
    for (const { spec, seconds } of timed) {
      const least = parts.reduce((best, part) => (part.seconds < best.seconds ? part : best));
      least.seconds += seconds;
      least.specs.push(spec);
    }
    return parts[shard.index - 1]?.specs ?? [];
  }
}
