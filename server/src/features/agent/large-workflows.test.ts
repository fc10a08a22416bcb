import { expect, it } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';
import { mostAtOnce } from '../../../test/most-at-once.ts';

const app = testApp();

it('a workflow, and a version of it, of up to 768 KiB each, are shown a few at a time', async () => {
  const agent = await testAgent(app, [{ id: 's', type: 'start', greeting: 'Hello' }]);
  const [version] = (await agent.rest('GET', `workflows/${agent.uuid}/versions/`)).json;
  const workflows = mostAtOnce(app.services.workflows, 'present');
  const versions = mostAtOnce(app.services.workflows.graphs, 'version');
  const paths = [`workflows/${agent.uuid}/`, `workflows/${agent.uuid}/versions/${version.uuid}/`];
  const asked = Array.from({ length: 40 }, () => paths).flat();
  const answers = await Promise.all(asked.map((path) => agent.rest('GET', path)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect([workflows.calls(), versions.calls()]).toEqual([40, 40]);
  expect(workflows.most() + versions.most()).toBeLessThanOrEqual(32);
  expect(Math.max(workflows.most(), versions.most())).toBeLessThanOrEqual(16);
});
