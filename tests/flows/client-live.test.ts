// Commands that follow a server: results and states as they come, on a terminal and without.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  clientOf,
  hasTerminal,
  newCheck,
  newTarget,
  nothing,
  startOnTerminal,
  startWay,
  temporaryFolder,
} from '../support/service/client-command.ts';
import { startCommand } from '../support/service/command.ts';
import { describe } from '../support/service/one-process.ts';
import { apiKey, newAccount } from '../support/service/service.ts';
import { until } from '../support/until.ts';

describe('commands that follow a server', { concurrency: 3 }, ({ it }) => {
  it('prints results as they come, each once, also those of a time without connection', async (t, service) => {
    const target = await newTarget(t);
    const id = await newCheck(service, 'Followed', `${target.url}/good`);
    const way = await startWay(t, service.address);
    const environment = { ...nothing, TOCSIN_URL: way.url, TOCSIN_API_KEY: apiKey };
    const { child, ended } = startCommand(['logs', id, '--follow', '--json'], environment);
    t.after(() => void child.kill('SIGKILL'));
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    let notes = '';
    child.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()));
    const lines = () =>
      printed
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { id: string; outcome: string });
    await until('the first result', () => lines().length === 1);
    for (const count of [2, 3]) {
      await service.must('POST', `/v1/triggers/checks/${id}`);
      await until(`${count} results`, () => lines().length === count, { seen: () => printed });
    }
    way.cut();
    await until('the note', () => notes.includes('The connection was lost'));
    await service.must('POST', `/v1/triggers/checks/${id}`);
    await until(
      'the result',
      async () => ((await service.must('GET', `/v1/check-results/${id}`)) as unknown as unknown[]).length === 4,
    );
    way.restore();
    await until('the missed result', () => lines().length === 4, { seen: () => printed });
    assert.equal(new Set(lines().map((each) => each.id)).size, 4);
    child.kill('SIGTERM');
    await ended;
    const plain = await clientOf(service)('logs', 'followed', '--limit', '2');
    assert.match(plain.out, /^(\S+Z {2}passed +local +\d+ ms\n){2}$/);
  });

  it('ends when the reader of its output has left', async (t, service) => {
    const target = await newTarget(t);
    const id = await newCheck(service, 'Unread', `${target.url}/good`);
    const environment = { ...nothing, TOCSIN_URL: service.address, TOCSIN_API_KEY: apiKey };
    const { child, ended } = startCommand(['logs', id, '--follow'], environment);
    t.after(() => void child.kill('SIGKILL'));
    await until('the first result', () => new Promise((resolve) => child.stdout?.once('data', () => resolve(true))));
    child.stdout?.destroy();
    await service.must('POST', `/v1/triggers/checks/${id}`);
    const { code, err } = await ended;
    assert.deepEqual([code, err], [0, '']);
  });

  it('draws the checks on a terminal, takes keys, and gives the terminal back', async (t, service) => {
    if (!hasTerminal(t)) return;
    const target = await newTarget(t);
    const account = await newAccount(service, 'Drawn');
    const id = await newCheck(account, 'Drawn check', `${target.url}/drawn`);
    const way = await startWay(t, service.address);
    const server = { TOCSIN_URL: way.url, TOCSIN_API_KEY: apiKey, TOCSIN_ACCOUNT: account.id };
    const restored = '\u001b[?7h\u001b[?25h\u001b[?1049l';
    const top = startOnTerminal(t, 'top', server);
    await top.sees('Drawn check');
    target.answer({ status: 500 });
    await account.must('POST', `/v1/triggers/checks/${id}`);
    await top.sees('\u001b[7mDrawn check  failing');
    way.cut();
    await top.sees('NOT CONNECTED');
    way.restore();
    await until('the connection', () => top.said().split('NOT CONNECTED').at(-1)?.includes('Tocsin  '));
    top.type('\r');
    await until('the details', () => top.said().split('NOT CONNECTED').at(-1)?.includes('Newest results'));
    top.type('qq');
    assert.equal(await top.ended, 0);
    assert.ok(top.said().endsWith(restored), JSON.stringify(top.said().slice(-80)));

    const second = startOnTerminal(t, 'top', server);
    await second.sees('Drawn check');
    second.kill('SIGTERM');
    await second.ended;
    assert.ok(second.said().endsWith(restored), JSON.stringify(second.said().slice(-80)));
  });

  it('prints a line for each change of a state if there is no terminal', async (t, service) => {
    const target = await newTarget(t);
    const id = await newCheck(service, 'Watched', `${target.url}/watched`);
    const environment = { ...nothing, TOCSIN_URL: service.address, TOCSIN_API_KEY: apiKey };
    const { child, ended } = startCommand(['top', '--json'], environment);
    t.after(() => void child.kill('SIGKILL'));
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const states = () =>
      printed
        .split('\n')
        .filter((line) => line.includes(id))
        .map((line) => (JSON.parse(line) as { state: string }).state);
    target.answer({ status: 500 });
    await until('the failure', async () => {
      await service.must('POST', `/v1/triggers/checks/${id}`);
      return states().length > 0;
    });
    assert.deepEqual(states(), ['failing']);
    child.kill('SIGTERM');
    await ended;
    const { out } = await clientOf(service)('top', '--once');
    assert.match(out, /^\d+ failing.*\n\nNAME +STATE +SINCE +REASON\n/);
  });

  it('asks for the key on a terminal without showing it', async (t, service) => {
    if (!hasTerminal(t)) return;
    const path = join(temporaryFolder(t), 'profiles.json');
    const asked = startOnTerminal(t, `login ${service.address}`, { TOCSIN_PROFILES: path });
    await asked.sees('API key: ');
    asked.type(`x\u007f${apiKey}\r`);
    assert.equal(await asked.ended, 0);
    assert.ok(!asked.said().includes(apiKey));
    assert.match(readFileSync(path, 'utf8'), new RegExp(apiKey));
    const cancelled = startOnTerminal(t, `login ${service.address} --profile other`, { TOCSIN_PROFILES: path });
    await cancelled.sees('API key: ');
    cancelled.type('\u0003');
    assert.equal(await cancelled.ended, 1);
    assert.match(cancelled.said(), /tocsin: cancelled/);
  });

  it('draws nothing on a terminal that cannot', async (t, service) => {
    if (!hasTerminal(t)) return;
    const top = startOnTerminal(t, 'top', { TOCSIN_URL: service.address, TOCSIN_API_KEY: apiKey, TERM: 'dumb' });
    await top.sees('Watching ');
    top.kill('SIGTERM');
    await top.ended;
    assert.ok(!top.said().includes('\u001b['), JSON.stringify(top.said()));
  });
});
