// Commands that talk to a server, against a running one: what they print and change, and how they end.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  clientOf,
  hostileName,
  newCheck,
  newTarget,
  nothing,
  temporaryFolder,
} from '../support/service/client-command.ts';
import { paste, runCommand, startCommand } from '../support/service/command.ts';
import { describe } from '../support/service/one-process.ts';
import { apiKey, newAccount } from '../support/service/service.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { createAuthority } from '../support/targets/certificates.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';

async function logIn(url: string, key: string, environment: NodeJS.ProcessEnv, ...words: readonly string[]) {
  const { child, ended } = startCommand(['login', url, '--key-stdin', ...words], { ...nothing, ...environment });
  // A login that fails before it reads the key closes the pipe.
  child.stdin?.on('error', () => undefined).end(`${key}\n`);
  return ended;
}

describe('the command line as a client', { concurrency: 3 }, ({ it }) => {
  it('logs in with a key that it checks, and keeps it from others', async (t, service) => {
    const path = join(temporaryFolder(t), 'deep', 'profiles.json');
    const own = { TOCSIN_PROFILES: path };
    const wrong = await logIn(service.address, 'tsn_wrong', own);
    assert.deepEqual([wrong.code, /rejected the API key/.test(wrong.err)], [1, true], wrong.err);
    const said = await logIn(`${service.address}/`, apiKey, own, '--account', 'Default');
    assert.equal(said.code, 0, said.err);
    assert.doesNotMatch(said.out, /tsn_/);
    assert.deepEqual([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777], [0o600, 0o700]);

    const run = (words: readonly string[], more: NodeJS.ProcessEnv = {}) =>
      runCommand(words, { ...nothing, ...own, ...more });
    const me = JSON.parse((await run(['whoami', '--json'])).out) as Record<string, unknown>;
    assert.deepEqual([me['url'], me['role']], [service.address, 'operator']);
    const elsewhere = await run(['whoami'], { TOCSIN_URL: 'http://127.0.0.1:9' });
    assert.match(elsewhere.err, /there is no key for it/, 'a key is only sent to the server of its profile');
    const unknown = await run(['whoami', '--profile', 'defualt']);
    assert.match(unknown.err, /no profile "defualt" \(did you mean default\?\)/);

    assert.equal((await run(['login', service.address, '--profile', '__proto__', '--key-stdin'])).code, 2);
    assert.match((await run(['logout', '--profile', '__proto__'])).err, /no profile "__proto__"/);

    chmodSync(path, 0o640);
    const open = await run(['whoami']);
    assert.deepEqual(
      [open.code, open.err],
      [1, `tocsin: other users can read the API keys in ${path}: run chmod 600 ${path}\n`],
    );
    chmodSync(path, 0o600);
    assert.equal((await run(['logout'])).code, 0);
    assert.doesNotMatch(readFileSync(path, 'utf8'), /tsn_/);
    assert.match((await run(['whoami'])).err, /^tocsin: no server is configured: run .* login URL, or set TOCSIN_URL/);
    assert.equal((await run(['login', service.address])).code, 2, 'there is no terminal to ask for the key');
  });

  it('says in one line why a server cannot be used', async (t, service) => {
    const other = await startScriptedServer(t);
    const cases: readonly (readonly [url: string, says: RegExp])[] = [
      ['http://127.0.0.1:9', /cannot reach http:\/\/127\.0\.0\.1:9: /],
      [other.url, /does not respond like a Tocsin server: its response is not JSON/],
      [service.address.replace('http:', 'https:'), /does not use TLS on this port/],
      ['ftp://127.0.0.1', /is not the URL of a server/],
      ['tocsin.example.com', /did you mean https:\/\/tocsin\.example\.com\?/],
    ];
    const said = await Promise.all(cases.map(([TOCSIN_URL]) => clientOf(service, { TOCSIN_URL })('whoami')));
    for (const [index, [url, says]] of cases.entries()) {
      const { code, err = '' } = said[index] ?? {};
      assert.deepEqual([code, says.test(err), err.trimEnd().includes('\n')], [1, true, false], `${url}: ${err}`);
    }
    const { key } = await service.must('POST', '/v1/api-keys', { name: 'reader', role: 'read-only' });
    const id = await newCheck(service, 'Not for readers', other.url);
    const reader = clientOf(service, { TOCSIN_API_KEY: String(key) });
    const refused = await reader('checks', 'rm', id);
    assert.deepEqual([refused.code, /^tocsin: .*read-only/.test(refused.err)], [1, true], refused.err);
    assert.equal((await reader('checks', 'get', id)).code, 0);
    assert.match((await clientOf(service)('keys', 'create', ' ', '--role', 'admin')).err, /\n {2}name: /);
  });

  it('trusts a private CA that it is given', async (t, service) => {
    const authority = createAuthority();
    const server = createServer(authority.issue(), (_, response) => void response.end('not Tocsin'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => void server.close());
    const path = join(temporaryFolder(t), 'ca.pem');
    writeFileSync(path, authority.cert);
    const TOCSIN_URL = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const untrusted = await clientOf(service, { TOCSIN_URL })('whoami');
    assert.match(untrusted.err, /certificate is not trusted \(\w+\)\..*set TOCSIN_CA_FILE/);
    const trusted = await clientOf(service, { TOCSIN_URL, TOCSIN_CA_FILE: path })('whoami');
    assert.match(trusted.err, /does not respond like a Tocsin server/);
  });

  it('lists, shows, runs and deletes checks, with evidence and without control characters', async (t, service) => {
    const target = await newTarget(t);
    const tocsin = clientOf(service);
    const bad = await newCheck(service, hostileName, `${target.url}/bad`, { tags: ['listed'] });
    await newCheck(service, 'Home page listed', `${target.url}/good`, { tags: ['listed'] });
    const table = await tocsin('checks', 'ls', '--tag', 'listed');
    assert.match(table.out, /^NAME +STATE +SINCE +TYPE +EVERY +ID\n/);
    assert.match(table.out, /Evil \\u001b\[2J\\u009b31m\\u202e one +failing .* URL +1440 min/);
    const first = await tocsin('checks', 'ls', '--tag', 'listed', '--limit', '1', '--json');
    const [shown, ...others] = JSON.parse(first.out) as { name: string; status: { state: string } }[];
    assert.deepEqual([shown?.name, shown?.status.state, others], ['Home page listed', 'passing', []]);
    const all = await tocsin('checks', 'ls', '--tag', 'listed', '--json');
    assert.ok((JSON.parse(all.out) as { name: string }[]).some(({ name }) => name === hostileName));
    assert.match(first.err, /Showing 1 of 2 checks\. Use --all/);
    const failing = await tocsin('checks', 'ls', '--status', 'failing', '--search', 'listed', '--all');
    assert.equal(failing.out, 'No checks match.\n');

    const passed = await tocsin('checks', 'run', 'home PAGE listed');
    assert.deepEqual([passed.code, /^Home page listed {2}passed /.test(passed.out)], [0, true], passed.out);
    const failed = await tocsin('checks', 'run', bad);
    assert.equal(failed.code, 1, failed.err);
    assert.match(failed.out, / failed .*503/);
    assert.match(failed.out, /^ {2}GET http:\/\/127\.0\.0\.1:\d+\/bad$/m);
    assert.match(failed.out, /\\u001b\]0;title\\u0007/);
    assert.match(failed.out, /\/results\/\S+\n$/);
    const closed = await tocsin('checks', 'run', await newCheck(service, 'Closed port', 'http://127.0.0.1:1/'));
    assert.equal(closed.out.match(/connection refused/g)?.length, 2, `in the line and as the response: ${closed.out}`);

    const several = await tocsin('checks', 'get', 'e');
    assert.deepEqual([several.code, /several checks match "e"; use the ID of one:\n/.test(several.err)], [1, true]);
    for (const other of ['nowhere', 'Home page list']) {
      const refused = await tocsin('checks', 'rm', bad, other);
      assert.match(refused.err, /no check with the ID or name/, 'a part of a name is not enough to delete');
    }
    assert.match((await tocsin('checks', 'get', bad)).out, /^Reason +status$/m, 'nothing was deleted');
    assert.match((await tocsin('checks', 'rm', bad)).out, /^Deleted Evil /);
    assert.equal((await service.api('GET', `/v1/checks/${bad}`)).status, 404);
  });

  it('is a gate of deployments', async (t, service) => {
    const target = await newTarget(t);
    const report = join(temporaryFolder(t), 'report.xml');
    const tocsin = clientOf(service);
    const { id: groupId } = await service.must('POST', '/v2/check-groups', { name: 'Gate' });
    await newCheck(service, 'Gate <good>', `${target.url}/good`, { groupId, tags: ['gate'] });
    const { key } = await service.must('POST', '/v1/api-keys', { name: 'gate', role: 'read-run' });
    const runner = clientOf(service, { TOCSIN_API_KEY: String(key) });
    const passed = await runner('trigger', '--group', 'gate', '--junit', report);
    assert.deepEqual([passed.code, passed.out.endsWith('The run passed.\n')], [0, true], passed.out + passed.err);
    assert.match(readFileSync(report, 'utf8'), /tests="1" failures="0" errors="0".*[\s\S]*name="Gate &lt;good&gt;"/);

    await newCheck(service, '::error::injected', `${target.url}/bad`, { tags: ['gate'] });
    const failed = await clientOf(service, { GITHUB_ACTIONS: 'true' })('trigger', '--tag', 'gate', '--junit', report);
    assert.equal(failed.code, 1, failed.err);
    const [before = '', after = ''] = failed.out.split('1 of 2 runs did not pass.');
    const [, token] = /^::stop-commands::([\w-]{36})\n/.exec(before) ?? [];
    assert.ok(after.startsWith(`\n::${token}::\n::error title=%3A%3Aerror%3A%3Ainjected%3A failed::`), failed.out);
    const xml = readFileSync(report, 'utf8');
    assert.match(xml, /tests="2" failures="1" errors="0"/);
    assert.match(xml, /<failure type="failed" message="[^"]*503[^"]*">/);

    const account = await newAccount(service, 'Limited');
    for (const name of ['one', 'two']) await newCheck(account, name, `${target.url}/good`, { tags: ['limited'] });
    await service.must('PUT', `/v1/accounts/${account.id}`, { executionLimit: 3 });
    const partial = await clientOf(service, { TOCSIN_ACCOUNT: account.id })('trigger', '--tag', 'limited');
    assert.deepEqual(
      [partial.code, /limit of 3 .* 1 of 2 were started and continue\.$/m.test(partial.err)],
      [1, true],
      partial.err,
    );

    const hanging = await startScriptedServer(t);
    const id = await newCheck(service, 'Gate that hangs', `${hanging.url}/`);
    hanging.answer('hang');
    const late = await tocsin('trigger', '--check', id, '--timeout', '1', '--json');
    assert.equal(late.code, 1);
    const { passed: isPassed, isTimedOut } = JSON.parse(late.out) as { passed: boolean; isTimedOut: boolean };
    assert.deepEqual([isPassed, isTimedOut], [false, true]);
    await service.must('PUT', `/v1/checks/${id}`, { activated: false });
    assert.match((await tocsin('trigger', '--tag', 'nobody')).err, /no activated check has the tag nobody/);
    assert.equal((await tocsin('trigger')).code, 2);
  });

  it('does what its page shows', async (t, service) => {
    const target = await newTarget(t);
    await newCheck(service, 'Home page', `${target.url}/home`, { tags: ['shop'] });
    const environment = { ...nothing, TOCSIN_URL: service.address, TOCSIN_API_KEY: apiKey };
    const page = readPage('docs/command-line.md');
    const folder = temporaryFolder(t);
    for (const [name, says] of [
      ['look', /Account +Default[\s\S]*Home page +passing[\s\S]*Newest results/],
      ['run', /Home page {2}passed/],
      ['gate', /The run passed/],
      ['manage', /tsn_[\s\S]*Revoked CI[\s\S]*Send this link[\s\S]*Withdrew the invitation/],
    ] as const) {
      const said = await paste(blockOf(page, 'sh', name), folder, environment);
      assert.deepEqual([said.code, says.test(said.out)], [0, true], `${name}: ${said.out}${said.err}`);
    }
    assert.match(readFileSync(join(folder, 'results.xml'), 'utf8'), /<testcase name="Home page"/);
  });

  it('completes commands, options and values in bash', async () => {
    const { out: script } = await runCommand(['completion', 'bash']);
    const lines = ['wh', "checks ''", 'checks ls --st', 'checks ls --status fa', 'keys create --role ad'];
    const asked = lines.map(
      (line) => `COMP_WORDS=(tocsin ${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tocsin; echo "\${COMPREPLY[*]}"`,
    );
    const said = spawnSync('bash', ['-c', `${script}\n${asked.join('\n')}`], { encoding: 'utf8' });
    const wanted = ['whoami', 'ls get run rm help -h --help', '--status', 'failing', 'admin', ''];
    assert.deepEqual([said.stderr, said.stdout.split('\n')], ['', wanted]);
  });
});
