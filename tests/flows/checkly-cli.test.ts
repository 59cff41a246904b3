// The unmodified `checkly` command line against a real process: deploy, read, change, destroy.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '../support/service/one-process.ts';
import { type CliProject, startCliProject } from '../support/checkly/checkly-cli.ts';
import { apiKey, type Service } from '../support/service/service.ts';

type Json = Readonly<Record<string, unknown>>;

/** So that every kind of channel is set up. Nothing listens there. */
const environment = {
  TOCSIN_SMTP_URL: 'smtp://127.0.0.1:1',
  TOCSIN_MAIL_FROM: 'tocsin@example.com',
  TOCSIN_SMS_URL: 'http://127.0.0.1:1/',
  TOCSIN_CALL_URL: 'http://127.0.0.1:1/',
};

async function cliProject(t: Parameters<typeof startCliProject>[0], service: Service): Promise<CliProject> {
  const { id } = await service.must('GET', '/v1/accounts/me');
  return startCliProject(t, { address: service.address, apiKey, accountId: String(id) });
}

/** What a command printed, for messages of failed assertions. */
async function must(project: CliProject, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await project.run(...words);
  assert.equal(code, 0, `checkly ${words.join(' ')}\n${out}\n${err}`);
  return out;
}

async function listed(service: Service, path: string): Promise<readonly Json[]> {
  return (await service.must('GET', `${path}?limit=100`)) as unknown as Json[];
}

/** Checks, groups or windows by their names. */
async function byName(service: Service, path: string): Promise<ReadonlyMap<string, Json>> {
  return new Map((await listed(service, path)).map((each) => [String(each['name']), each]));
}

/** Replaces text in a file of the project. */
function edit({ folder }: CliProject, name: string, from: string, to: string): void {
  const path = join(folder, name);
  const text = readFileSync(path, 'utf8');
  assert.ok(text.includes(from), from);
  writeFileSync(path, text.replace(from, to));
}

describe('the checkly command line', { own: { environment } }, ({ it }) => {
  it('deploys a project with every construct, changes it and destroys it', async (t, service) => {
    const project = await cliProject(t, service);
    const preview = await must(project, 'deploy', '--preview');
    assert.match(preview, /Create:\n(.*\n)*.*ApiCheck: api\n/);
    assert.equal((await byName(service, '/v1/checks')).size, 0, 'a preview changes nothing');

    const printed = await must(project, 'deploy', '--force', '--output');
    const heartbeat = (await byName(service, '/v1/checks')).get('Nightly job')?.['heartbeat'] as Json;
    assert.ok(printed.includes(`Ping URL of heartbeat check Nightly job is ${String(heartbeat['pingUrl'])}.`), printed);
    await assertDeployed(service);

    assert.match(await must(project, 'deploy', '--preview'), /No checks were detected/, 'there is nothing to do');

    edit(project, 'shop.check.ts', "name: 'TCP',", "name: 'TCP of the shop',");
    edit(project, 'shop.check.ts', 'new MaintenanceWindow(', 'void (');
    const asked = await project.run('deploy');
    assert.equal(asked.code, 2, 'in CI, it asks for --force');
    const changed = await must(project, 'deploy', '--force', '--output');
    assert.match(changed, /Delete:\n +MaintenanceWindow: deploys\n/);
    assert.match(changed, /Update and Unchanged:\n +TcpMonitor: tcp\n\n/);
    assert.ok((await byName(service, '/v1/checks')).has('TCP of the shop'));
    assert.equal((await byName(service, '/v1/maintenance-windows')).size, 0);

    await must(project, 'destroy', '--force');
    for (const path of ['/v1/checks', '/v1/check-groups', '/v1/alert-channels', '/v1/maintenance-windows'])
      assert.deepEqual(await listed(service, path), [], path);
  });

  it('names the constructs that Tocsin does not have', async (t, service) => {
    const project = await cliProject(t, service);
    appendFileSync(
      join(project.folder, 'channels.ts'),
      "import { Dashboard } from 'checkly/constructs';\nnew Dashboard('wall', { header: 'Wall', customUrl: 'wall' });\n",
    );
    const { code, out, err } = await project.run('deploy', '--preview');
    assert.deepEqual([code, /dashboard "wall": Tocsin has no dashboards\./.test(out + err)], [1, true], out + err);
    edit(project, 'channels.ts', "new Dashboard('wall', { header: 'Wall', customUrl: 'wall' });", '');
    edit(project, 'checkly.config.ts', 'locations: []', "locations: ['eu-west-1']");
    const wrong = await project.run('deploy', '--force');
    assert.equal(wrong.code, 1);
    assert.match(wrong.out + wrong.err, /check "api":\s+locations/);
    assert.equal((await byName(service, '/v1/checks')).size, 0, 'nothing is half applied');
  });
});

/** The state of the account after the first deployment. */
async function assertDeployed(service: Service): Promise<void> {
  const [checks, groups] = [await byName(service, '/v1/checks'), await byName(service, '/v1/check-groups')];
  const channels = await listed(service, '/v1/alert-channels');
  const names = ['API', 'Browser', 'DNS', 'ICMP', 'Nightly job', 'SSL', 'Steps', 'TCP', 'URL'];
  assert.deepEqual([...checks.keys()].toSorted(), names);
  const [first, second] = [groups.get('First version'), groups.get('Second version')];
  assert.equal(channels.length, 10);
  const hook = channels.find(({ sslExpiryThreshold }) => sslExpiryThreshold === 14);
  assert.deepEqual(checks.get('API')?.['alertChannelSubscriptions'], [
    { alertChannelId: hook?.['id'], activated: false, escalationMinutes: 0 },
  ]);
  assert.equal(checks.get('API')?.['groupId'], first?.['id']);
  assert.equal(checks.get('URL')?.['groupId'], second?.['id']);
  assert.equal((first?.['alertSettings'] as Json | null)?.['escalationType'], 'RUN_BASED');
  assert.equal(second?.['runParallel'], null);
  const variables = checks.get('API')?.['environmentVariables'] as Json[];
  assert.deepEqual(
    variables.map(({ key, value }) => [key, value]),
    [
      ['TOKEN', null],
      ['PLAIN', 'plain'],
    ],
  );
  const browser = checks.get('Browser');
  assert.equal(browser?.['scriptPath'], 'specs/home.spec.js');
  assert.deepEqual((browser['dependencies'] as Json[])[0]?.['path'], 'lib/title.js');
  const sslConfig = checks.get('SSL')?.['sslConfig'] as Json;
  assert.equal(sslConfig['alertDaysBeforeExpiry'], 10);
}
