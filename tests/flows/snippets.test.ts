// Snippets of checks and groups run in the sandbox around the scripts of an API check, in their newest version.
import assert from 'node:assert/strict';
import { describe } from '../support/service/one-process.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

/** Scripts have the lowest priority there, and their verdicts are withheld. */
const busyMachine = { withinMs: 120_000 };

describe('snippets:', {}, ({ it }) => {
  it('change the request before the scripts and the response after them, and the next run uses a change', async (t, service) => {
    const target = await startScriptedServer(t);
    target.answer(() => ({ status: 200, body: 'plain' }));
    const append = (word: string): string =>
      `request.headers['x-order'] = (request.headers['x-order'] ?? '') + '${word},';`;
    const add = async (script: string): Promise<unknown> =>
      (await service.must('POST', '/v1/snippets', { name: script.slice(0, 20), script }))['id'];
    const [ofGroup, ofCheck] = [await add(append('group-snippet')), await add(append('check-snippet'))];
    const teardown = await add('response.body = JSON.stringify({ said: response.body });');
    const group = { name: 'Signed', setupSnippetId: ofGroup, localSetupScript: append('group-script') };
    const { id: groupId } = await service.must('POST', '/v2/check-groups', group);
    const { id } = await service.must('POST', '/v1/checks/api', {
      name: 'Orders',
      frequency: 0,
      frequencyOffset: 10,
      groupId,
      request: {
        method: 'GET',
        url: target.url,
        assertions: [{ source: 'JSON_BODY', property: '$.said', comparison: 'EQUALS', target: 'plain' }],
      },
      setupSnippetId: ofCheck,
      tearDownSnippetId: teardown,
      localSetupScript: append('check-script'),
    });
    const order = (): string => String(target.all.at(-1)?.headers['x-order']);
    await until('a request', () => target.all.length > 0, busyMachine);
    assert.equal(order(), 'group-snippet,group-script,check-snippet,check-script,');
    await service.must('PUT', `/v1/snippets/${String(ofCheck)}`, { script: append('changed') });
    await until('a request by the new version', () => order().includes('changed'), busyMachine);
    assert.equal(order(), 'group-snippet,group-script,changed,check-script,');
    const outcomes = async (): Promise<readonly string[]> => {
      const results = await service.must('GET', `/v1/check-results/${String(id)}?limit=100`);
      return (results as unknown as { outcome: string }[]).map(({ outcome }) => outcome);
    };
    await until('a verdict about the changed response', async () => (await outcomes()).includes('passed'), busyMachine);
    assert.ok(!(await outcomes()).includes('failed'));
  });
});
