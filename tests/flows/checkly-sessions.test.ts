// The unmodified `checkly` command line tests and runs checks: results arrive while they are made, by whichever process.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '../support/service/two-processes.ts';
import { type CliProject, outputOf, startCliProject } from '../support/checkly/checkly-cli.ts';
import { apiKey, type Service } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';

type Cleanup = Parameters<typeof startCliProject>[0] & Parameters<typeof startTarget>[0];

/** A test session in the list. */
interface Entry {
  readonly status: string;
  readonly cancelled: readonly string[];
}

/** A project with a check that passes, one that fails and is retried, a group and a script. */
async function sessionProject(t: Cleanup, service: Service): Promise<CliProject & { readonly seen: string[] }> {
  const seen: string[] = [];
  const target = await startTarget(t, (request, response) => {
    seen.push(`${request.url} ${String(request.headers['x-token'] ?? '')}`);
    response.writeHead(request.url?.startsWith('/broken') === true ? 500 : 200).end('answer of the shop');
  });
  const { id } = await service.must('GET', '/v1/accounts/me');
  const project = startCliProject(t, { address: service.address, apiKey, accountId: String(id) });
  for (const name of ['shop.check.ts', 'channels.ts']) rmSync(join(project.folder, name));
  writeFileSync(
    join(project.folder, 'checkly.config.ts'),
    `import { defineConfig } from 'checkly';
export default defineConfig({
  projectName: 'Sessions', logicalId: 'sessions',
  checks: { checkMatch: '**/*.check.ts', frequency: 720, locations: [], runtimeId: '2026.10' },
  cli: { runLocation: 'local' },
});`,
  );
  writeFileSync(
    join(project.folder, 'shop.check.ts'),
    `import { ApiCheck, CheckGroupV2, MultiStepCheck, TcpMonitor, UrlMonitor } from 'checkly/constructs';
const group = new CheckGroupV2('group', { name: 'Shop', tags: ['grouped'], environmentVariables: [{ key: 'TOKEN', value: 'of-the-group' }] });
new ApiCheck('good', { name: 'Good', group, tags: ['good'], request: { method: 'GET', url: '${target.url}/good', headers: [{ key: 'x-token', value: '{{TOKEN}}' }] } });
new UrlMonitor('broken', { name: 'Broken', tags: ['broken'], request: { url: '${target.url}/broken' } });
new TcpMonitor('closed', { name: 'Closed', tags: ['broken'], request: { hostname: '127.0.0.1', port: 1 } });
new MultiStepCheck('steps', { name: 'Steps', tags: ['script'], code: { content: "console.log('hello from the script');" } });
`,
  );
  return { ...project, seen };
}

describe('sessions of the checkly command line', {}, ({ it }) => {
  it('streams results of tests, prints why they fail, and exits accordingly', async (t, service) => {
    const project = await sessionProject(t, service);
    const good = await project.run('test', '--tags', 'good', '--reporter', 'list', '-e', 'TOKEN=of-the-call');
    assert.equal(good.code, 0, good.out + good.err);
    assert.match(good.out, /1 passed, 1 total/);
    assert.ok(project.seen.includes('/good of-the-call'), project.seen.join());

    const broken = await project.run('test', '--tags', 'broken', '--reporter', 'ci', '--retries', '1', '--record');
    assert.equal(broken.code, 1, broken.out + broken.err);
    assert.match(broken.out, /Status Code: 500/);
    assert.match(broken.out, /2 failed, 2 total/);
    assert.equal(project.seen.filter((one) => one === '/broken ').length, 2, 'it was retried');
    const { link = '' } = /Detailed session summary at: (?<link>\S+)/.exec(broken.out)?.groups ?? {};
    assert.match(await (await fetch(link)).text(), /Failed: Sessions/);

    const { id = '' } = /Test session ID: (?<id>\S+)/.exec(broken.out)?.groups ?? {};
    const list = await project.run('test-sessions', 'list', '--status', 'failed');
    assert.ok(list.out.includes(id), list.out + list.err);
    const found = await project.run('test-sessions', 'get', id, '--watch');
    assert.match(found.out, /Broken[^\n]*failed/i, found.out + found.err);
    assert.equal(((await service.must('GET', '/v1/checks')) as unknown as unknown[]).length, 0, 'nothing was saved');
  });

  it('names what is wrong with a definition', async (t, service) => {
    const project = await sessionProject(t, service);
    const path = join(project.folder, 'shop.check.ts');
    writeFileSync(path, readFileSync(path, 'utf8').replace("tags: ['good']", "tags: ['good'], locations: ['mars-1']"));
    const { code, out, err } = await project.run('test', '--tags', 'good');
    assert.deepEqual([code, /good\.locations\[0\]: must be one of local/.test(out + err)], [1, true], out + err);
  });

  it('cancels what runs when it is interrupted', async (t, service) => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const silent = await startTarget(t, () => reach());
    const project = await sessionProject(t, service);
    writeFileSync(
      join(project.folder, 'shop.check.ts'),
      `import { UrlMonitor } from 'checkly/constructs';
new UrlMonitor('silent', { name: 'Silent', maxResponseTime: 30000, request: { url: '${silent.url}/' } });
`,
    );
    const child = project.start('test', '--reporter', 'list', '--record');
    const ended = outputOf(child);
    await reached;
    child.kill('SIGINT');
    const { out, err } = await ended;
    assert.match(out, /1 cancelled, 1 total/, out + err);
    const { entries } = (await service.must('GET', '/v1/test-sessions?limit=1')) as { entries: Entry[] };
    assert.deepEqual(
      entries.map(({ status, cancelled }) => [status, cancelled]),
      [['CANCELLED', ['Silent']]],
    );
  });

  it('triggers and runs stored checks', async (t, service) => {
    const project = await sessionProject(t, service);
    const deployed = await project.run('deploy', '--force');
    assert.equal(deployed.code, 0, deployed.out + deployed.err);
    const triggered = await project.run(
      'trigger',
      '--tags',
      'grouped',
      '--reporter',
      'json',
      '-e',
      'TOKEN=of-the-trigger',
    );
    assert.equal(triggered.code, 0, triggered.out + triggered.err);
    assert.ok(project.seen.includes('/good of-the-trigger'), project.seen.join());
    const report = JSON.parse(readFileSync(join(project.folder, 'checkly-json-report.json'), 'utf8')) as object;
    assert.ok(JSON.stringify(report).includes('"Good"'), JSON.stringify(report));
    const failed = await project.run('trigger', '--tags', 'broken', '--reporter', 'dot');
    assert.equal(failed.code, 1, failed.out + failed.err);
    const none = await project.run('trigger', '--tags', 'nowhere', '--fail-on-no-matching');
    assert.deepEqual([none.code, /No matching checks/.test(none.out + none.err)], [1, true], none.out + none.err);
    const ran = await project.run('checks', 'run', '--tags', 'grouped');
    assert.deepEqual([ran.code, /1 check session completed: 1 passed/.test(ran.out)], [0, true], ran.out + ran.err);
    const brokenRun = await project.run('checks', 'run', '--tags', 'broken', '--output', 'json');
    assert.equal(brokenRun.code, 1, brokenRun.out + brokenRun.err);
  });
});
