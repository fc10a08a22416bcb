import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Seconds that files took in `.ci/run`, beside two others on two cores, where it was 20 or more. Only the division of a run
 * into parts goes by them: a wrong figure makes one part longer than the others, and no test is left out.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'console/test/drafts.test.ts': 60,
  'console/test/inbox-answers.test.ts': 30,
  'console/test/inbox-live.test.ts': 42,
  'console/test/inbox.test.ts': 41,
  'console/test/lead-deletion.test.ts': 25,
  'console/test/leads-back.test.ts': 38,
  'console/test/leads.test.ts': 25,
  'console/test/long-conversation.test.ts': 115,
  'console/test/long-list.test.ts': 41,
  'console/test/lost-chunks.test.ts': 60,
  'console/test/mails.test.ts': 55,
  'console/test/own-picture.test.ts': 30,
  'console/test/people.test.ts': 45,
  'console/test/pictures.test.ts': 61,
  'console/test/search-place.test.ts': 58,
  'console/test/search.test.ts': 29,
  'console/test/unsent-answers.test.ts': 33,
  'console/test/verify-code.test.ts': 49,
  'console/test/widgets.test.ts': 35,
  'console/test/workflow-studio.test.ts': 21,
  'console/test/workflows.test.ts': 26,
  'demo/test/first-message.test.ts': 21,
  'demo/test/member-session.test.ts': 25,
  'demo/test/oidc.test.ts': 25,
  'demo/test/panel.test.ts': 106,
  'server/embedded-mongodb/test/compact.test.ts': 73,
  'server/embedded-mongodb/test/damaged-pages.test.ts': 30,
  'server/embedded-mongodb/test/differential/same-answers.test.ts': 27,
  'server/embedded-mongodb/test/kill.test.ts': 47,
  'server/src/features/access/rights.test.ts': 36,
  'server/src/features/access/room-widgets.test.ts': 24,
  'server/src/features/accounts/account-import.test.ts': 50,
  'server/src/features/accounts/import-sizes.test.ts': 40,
  'server/src/features/agent/ended-rights.test.ts': 33,
  'server/src/features/agent/llm/broken-off.test.ts': 14,
  'server/src/features/agent/llm/llm.test.ts': 20,
  'server/test/agent-kill.test.ts': 24,
  'server/test/audit-processes.test.ts': 27,
  'server/test/audit.test.ts': 45,
  'server/test/backup.test.ts': 43,
  'server/test/broken-connections.test.ts': 42,
  'server/test/cli-beside-server.test.ts': 37,
  'server/test/cli.test.ts': 54,
  'server/test/colleagues.test.ts': 56,
  'server/test/connections.test.ts': 45,
  'server/test/database-copy.test.ts': 41,
  'server/test/database-killed.test.ts': 40,
  'server/test/examples.test.ts': 26,
  'server/test/explain.test.ts': 57,
  'server/test/export-waiting.test.ts': 36,
  'server/test/fatal.test.ts': 110,
  'server/test/first-message.test.ts': 51,
  'server/test/full-disk-backlog.test.ts': 130,
  'server/test/full-disk-live.test.ts': 50,
  'server/test/full-disk.test.ts': 42,
  'server/test/fuzz-walk.test.ts': 25,
  'server/test/fuzz.test.ts': 25,
  'server/test/import-interrupted.test.ts': 230,
  'server/test/keys-rotate.test.ts': 130,
  'server/test/keys-servers.test.ts': 60,
  'server/test/lost-answers.test.ts': 70,
  'server/test/members-kill.test.ts': 151,
  'server/test/oidc-outage.test.ts': 29,
  'server/test/oidc.test.ts': 39,
  'server/test/password-reset.test.ts': 38,
  'server/test/proxies-trust.test.ts': 35,
  'server/test/proxies.test.ts': 177,
  'server/test/open-connections-processes.test.ts': 35,
  'server/test/realtime-counts.test.ts': 33,
  'server/test/realtime-limits.test.ts': 43,
  'server/test/realtime-processes.test.ts': 35,
  'server/test/realtime-restricted.test.ts': 31,
  'server/test/realtime-session.test.ts': 27,
  'server/test/realtime.test.ts': 28,
  'server/test/response-bounds.test.ts': 24,
  'server/test/search-kill.test.ts': 38,
  'server/test/start-refused.test.ts': 45,
  'server/test/start.test.ts': 48,
  'server/test/stop-ends.test.ts': 60,
  'server/test/stop-without-database.test.ts': 110,
  'server/test/stop.test.ts': 78,
  'server/test/tenancy-restricted.test.ts': 23,
  'server/test/tenancy.test.ts': 31,
  'server/test/webhooks-crash.test.ts': 100,
  'server/test/wire.test.ts': 23,
  'widget/test/api.browser.test.ts': 32,
  'widget/test/bot.browser.test.ts': 21,
  'widget/test/long.browser.test.ts': 25,
  'widget/test/looks.browser.test.ts': 42,
  'widget/test/pages.browser.test.ts': 37,
  'widget/test/pictures.browser.test.ts': 82,
  'widget/test/places.browser.test.ts': 40,
  'widget/test/proxy.browser.test.ts': 28,
  'widget/test/schedules.browser.test.ts': 73,
  'widget/test/sending.browser.test.ts': 57,
  'widget/test/settings.browser.test.ts': 35,
  'widget/test/talk.browser.test.ts': 43,
  'widget/test/window.browser.test.ts': 33,
  'widget/test/xss.browser.test.ts': 45,
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
