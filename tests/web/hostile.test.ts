// What others wrote stays text, and no link leads away from this server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';
import { expectVisible } from './expect.ts';
import { operator, shareWebUi } from './web-ui.ts';

const evil = '"><img src=zzz onerror="document.title=\'ran\'"><script>document.title="ran"</script>';
/** Inputs of a page that markup in a text would add to, and addresses that a click would run. */
const added = `[...document.querySelectorAll('[src=zzz], [onerror], script:not([src]), [href^="javascript:"]')].length`;

describe('what others wrote', () => {
  const { ui } = shareWebUi();

  test('a link to the sign-in page leads to pages of this server only', async () => {
    const { service, open } = ui();
    for (const next of [
      '//elsewhere.example/',
      '/\\elsewhere.example/',
      '/\t/elsewhere.example/',
      '/\n\\elsewhere.example/',
      'https://elsewhere.example/',
      'javascript:document.title="ran"',
    ]) {
      const page = await open(`/sign-in?next=${encodeURIComponent(next)}`, { signedOut: true });
      await page.getByLabel('Email').fill(operator.email);
      await page.getByLabel('Password').fill(operator.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
      assert.equal(new URL(page.url()).origin, new URL(service.address).origin, JSON.stringify(next));
      await page.context().close();
    }
  });

  test('texts of checks, targets, receivers and pings are shown as text on every page', async (t) => {
    const target = await startScriptedServer(t);
    target.answer({ status: 500, body: evil });
    const { service, open } = ui();
    const post = (path: string, body: object) => service.must('POST', path, body);
    await post('/v1/alert-channels', {
      type: 'WEBHOOK',
      autoSubscribe: true,
      config: { name: evil, url: target.url, template: '{{{json CHECK_NAME}}}{{RESULT_LINK}}' },
    });
    const { id: groupId } = await post('/v2/check-groups', { name: evil, tags: ['javascript:alert(1)'] });
    await post('/v1/private-locations', { name: evil, slugName: 'evil' });
    await post('/v1/snippets', { name: evil, script: `// ${evil}` });
    const { id: checkId } = await post('/v1/checks/api', {
      name: evil,
      groupId,
      tags: ['javascript:alert(1)', '<img src=zzz>'],
      request: {
        method: 'POST',
        url: `${target.url}/?evil=${encodeURIComponent(evil)}`,
        headers: [{ key: 'x-evil', value: evil }],
        bodyType: 'RAW',
        body: evil,
        assertions: [{ source: 'TEXT_BODY', property: '', comparison: 'EQUALS', target: evil }],
      },
    });
    const heartbeat = await post('/v1/checks/heartbeat', {
      name: evil,
      heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' },
    });
    const { pingUrl } = heartbeat['heartbeat'] as { readonly pingUrl: string };
    await fetch(pingUrl, { method: 'POST', body: evil, headers: { 'user-agent': evil } });
    const first = (path: string) =>
      until(
        `a row of ${path}`,
        async () => Object.values(await service.must('GET', path))[0] as { id: string } | undefined,
      );
    const result = await first(`/v1/check-results/${String(checkId)}`);
    const delivery = await first('/v1/deliveries');
    await until('the attempt', async () => {
      const { attempts } = await service.must('GET', `/v1/deliveries/${delivery.id}`);
      return Object.values(attempts as object).length > 0;
    });
    const link = await until('a RESULT_LINK', () =>
      target.all.map(({ body }) => /\/results\/[\w-]+/.exec(body.toString())?.[0]).find((path) => path !== undefined),
    );
    const statusPaths = await fillStatusPages(post);
    const page = await open();
    for (const [path, isNamed] of Object.entries({
      '/': true,
      [`/?search=${encodeURIComponent(evil)}`]: true,
      [`/checks/${String(checkId)}`]: true,
      [`/checks/${String(checkId)}/results/${result.id}`]: true,
      [`/checks/${String(heartbeat['id'])}`]: true,
      '/groups': true,
      [`/groups/${String(groupId)}`]: true,
      '/alerts': true,
      '/deliveries': true,
      [`/deliveries/${delivery.id}`]: true,
      '/notices': false,
      '/settings/private-locations': true,
      '/settings/snippets': true,
      ...Object.fromEntries(statusPaths.map((each) => [each, true])),
      '/wall': true,
      [link]: true,
    })) {
      await page.goto(path);
      if (path === link) await expectVisible(page.getByRole('region', { name: 'Response', exact: true }));
      if (isNamed) await expectVisible(page.getByText(evil).filter({ visible: true }).first());
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      assert.equal(await page.evaluate(added), 0, `${path} has elements of a text`);
      assert.doesNotMatch(await page.title(), /^ran/, path);
    }
  });
});

/** A status page, a service and an incident whose texts are hostile. Returns the paths that name them. */
async function fillStatusPages(
  post: (path: string, body: object) => Promise<Readonly<Record<string, unknown>>>,
): Promise<readonly string[]> {
  const service = await post('/v1/status-pages/services', { name: evil, description: evil });
  const cards = [{ name: evil, services: [service['id']] }];
  const page = await post('/v1/status-pages', { name: evil, url: 'evil', description: evil, cards });
  const incident = await post('/v1/status-pages/incidents', {
    name: evil,
    services: [service['id']],
    postmortem: evil,
    incidentUpdates: [{ status: 'INVESTIGATING', description: evil }],
  });
  return [
    '/status-pages',
    `/status-pages/${String(page['id'])}`,
    '/status-pages/services',
    `/status-pages/services/${String(service['id'])}`,
    '/status-pages/incidents',
    `/status-pages/incidents/${String(incident['id'])}`,
  ];
}
