// From a failing check to its status page and back: what visitors see, with an incident that opens and ends by itself.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { describe } from '../support/service/each-topology.ts';
import { apiKey } from '../support/service/service.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

/** A run, its alert and the page take some seconds on a busy machine. */
const busyMachine = { withinMs: 60_000 };

describe('a status page', {}, ({ it }) => {
  it('shows an outage, the incident of its service and the recovery, and nothing of the check', async (t, service) => {
    const target = await startScriptedServer(t);
    target.answer(() => ({ status: 200, body: 'fine' }));
    const { id: checkId } = await service.must('POST', '/v1/checks/api', {
      name: 'internal name',
      frequency: 0,
      frequencyOffset: 10,
      request: { method: 'GET', url: target.url },
    });
    const { id } = await service.must('POST', '/v1/status-pages/services', {
      name: 'Checkout <script>alert(1)</script>',
      checkIds: [checkId],
      incidents: { mode: 'PUBLISH', name: 'Checkout fails', description: 'We are **looking** into it.' },
    });
    const { id: searchId } = await service.must('POST', '/v1/status-pages/services', { name: 'Search' });
    await service.must('PUT', `/v1/checks/${String(checkId)}`, {
      triggerIncident: { serviceId: searchId, severity: 'MINOR', name: 'Search is slow', description: 'For now.' },
    });
    const page = await service.must('POST', '/v1/status-pages', {
      name: 'Example status',
      url: 'example',
      customDomain: 'status.example.com',
      cards: [{ name: 'Shop', services: [id, searchId] }],
    });
    const visit = async (path = ''): Promise<string> => {
      const answer = await fetch(`${service.address}/status/example/${path}`);
      return answer.status === 200 ? answer.text() : String(answer.status);
    };
    const state = async (): Promise<unknown> => {
      const text = await visit('api/v2/status.json');
      return text.startsWith('{') ? (JSON.parse(text) as { status: { indicator: unknown } }).status.indicator : text;
    };
    await until('an operational page', async () => (await state()) === 'none', busyMachine);
    target.answer(() => ({ status: 500, body: 'secret of the target' }));
    await until('an outage', async () => (await state()) === 'major' || (await state()) === 'critical', busyMachine);
    await until('the incident', async () => (await visit()).includes('Checkout fails'), busyMachine);
    const seen = await visit();
    assert.match(seen, /Search is slow/, 'the check opens one of its own');
    assert.match(seen, /<strong>looking<\/strong>/);
    for (const hidden of [
      'internal name',
      String(checkId),
      'secret of the target',
      new URL(target.url).host,
      '<script>alert',
    ]) {
      assert.ok(!seen.includes(hidden), hidden);
    }
    target.answer(() => ({ status: 200, body: 'fine' }));
    await until('the recovery', async () => (await state()) === 'none', busyMachine);
    // Under its own name there is the page and nothing else, whatever a request brings.
    const named = (path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host: 'Status.example.com:443', authorization: `Bearer ${apiKey}` };
        get(`${service.address}${path}`, { headers }, (answer) => {
          resolve(answer.resume().statusCode);
        }).on('error', reject);
      });
    assert.deepEqual(
      [await named('/'), await named('/v1/checks'), await named('/sign-in'), await named('/ping/x')],
      [200, 404, 404, 404],
    );
    const { entries } = await service.must('GET', '/v1/status-pages/incidents');
    const incidents = entries as { id: string; name: string; lastUpdateStatus: string; isProposed: boolean }[];
    assert.deepEqual(
      incidents.map(({ name, lastUpdateStatus, isProposed }) => `${name} ${lastUpdateStatus} ${isProposed}`).toSorted(),
      ['Checkout fails RESOLVED true', 'Search is slow RESOLVED true'],
    );
    const incident = incidents.find(({ name }) => name === 'Checkout fails');
    assert.match(await visit(`incidents/${incident?.id}.html`), /Checkout fails/);
    await service.must('PUT', `/v1/status-pages/${String(page['id'])}`, { isPublished: false });
    await until('an unseen draft', async () => (await visit()) === '404', busyMachine);
    await service.must('DELETE', `/v1/status-pages/${String(page['id'])}`);
  });
});
