// An assistant talks to a real process over `tocsin mcp`: what fails is found, explained and run again.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { packageFolder } from '#lib/package-files.ts';
import { bundled } from '../../tooling/bundle.ts';
import { readPage } from '../support/pages.ts';
import { paste, runCommand } from '../support/service/command.ts';
import { plainEnvironment } from '../support/service/plain-environment.ts';
import { apiKey } from '../support/service/service.ts';
import { test } from '../support/service/one-process.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

const docs = readPage('docs/agents.md');

test('an assistant connects as the documentation says, with the key that it creates', async ({ t, startService }) => {
  const service = await startService(t, { TOCSIN_ROLES: 'api' });
  const [create, add] = docs.blocks.filter(({ info }) => info[0] === 'sh').map(({ text }) => text);
  const known = { TOCSIN_URL: service.address, TOCSIN_API_KEY: apiKey };
  const { out } = await paste(create ?? '', packageFolder, known);
  const { key, role } = JSON.parse(out) as { key: string; role: string };
  assert.equal(role, 'read-only');
  // The command is only there if the program is installed: it prints its words.
  const shell = `claude() { printf '%s\n' "$@"; }\n${add}`;
  const words = (await paste(shell, packageFolder, { ...known, ASSISTANT_KEY: key })).out.trim().split('\n');
  const [name = '', value = ''] = words.at(-1)?.split(': ') ?? [];
  assert.deepEqual(words.slice(0, 6), ['mcp', 'add', '--transport', 'http', 'tocsin', `${service.address}/mcp`]);
  const settings = docs.blocks.filter(({ info }) => info[0] === 'jsonc').map(({ text }) => JSON.parse(text) as object);
  const shown = JSON.stringify(settings);
  assert.equal(
    shown.match(/"url":"https:\/\/tocsin\.example\.com\/mcp","headers":\{"Authorization":"Bearer \$/g)?.length,
    2,
  );
  assert.match(shown, /"command":"tocsin","args":\["mcp"\],"env":\{"TOCSIN_URL":"[^"]+","TOCSIN_API_KEY":"tsn_…"\}/);
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { [name]: value } };
  await client.connect(new StreamableHTTPClientTransport(new URL(words[5] ?? ''), { requestInit }));
  t.after(() => client.close());
  const listed = (await client.listTools()).tools.map((tool) => tool.name);
  const table = docs.tables.find(({ head }) => head[0] === 'Tool')?.rows ?? [];
  const readable = table.filter((row) => row[2] === 'any').map((row) => (row[0] ?? '').replaceAll('`', ''));
  assert.deepEqual(new Set(listed), new Set(readable));
});

test('an assistant finds a failure, runs the check again and changes it over stdin and stdout', async ({
  t,
  startService,
}) => {
  const service = await startService(t);
  const target = await startScriptedServer(t);
  target.answer({ status: 500 });
  const request = { method: 'GET', url: target.url };
  const checkId = String(
    (await service.must('POST', '/v1/checks/api', { name: 'Shop', frequency: 60, request }))['id'],
  );
  const status = async () => (await service.must('GET', `/v1/check-statuses/${checkId}`))['state'];
  await until('the first result', async () => (await status()) === 'failing');

  const client = new Client({ name: 'test', version: '1' });
  const env = { ...plainEnvironment(), TOCSIN_URL: service.address, TOCSIN_API_KEY: apiKey } as Record<string, string>;
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bundled('tocsin'), 'mcp'], env }));
  t.after(() => client.close());
  const ask = async (name: string, input: object): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { ...input } });
    return (content as { text: string }[])[0]?.text ?? '';
  };
  assert.match(await ask('list_failures', {}), new RegExp(checkId));
  target.answer({ status: 200 });
  assert.match(await ask('run_check', { checkId, waitSeconds: 60 }), /"outcome": "passed"/);
  const change = { frequency: 10 };
  const revision = JSON.parse(
    /"revision": (".*")/.exec(await ask('propose_change', { checkId, change }))?.[1] ?? '""',
  ) as string;
  assert.match(await ask('apply_change', { checkId, change, revision }), /"to": 10/);
  assert.equal((await service.must('GET', `/v1/checks/${checkId}`))['frequency'], 10);

  const wrong = new Client({ name: 'test', version: '1' });
  const wrongKey = { ...env, TOCSIN_API_KEY: `tsn_${'x'.repeat(43)}` };
  const other = new StdioClientTransport({
    command: process.execPath,
    args: [bundled('tocsin'), 'mcp'],
    env: wrongKey,
  });
  await assert.rejects(wrong.connect(other), /rejected the API key of TOCSIN_API_KEY/);
  const { code, out, err } = await runCommand(['mcp'], { TOCSIN_PROFILES: '/nowhere/profiles.json' });
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /no server is configured: run .* login URL/);

  target.answer('hang');
  const hits = target.all.length;
  const waiting = ask('run_check', { checkId, waitSeconds: 60 });
  await target.hits(hits + 1);
  assert.equal((await service.stop()).code, 0);
  assert.match(await waiting, /a run is still in progress/, 'the server waits for no run when it stops');
  await assert.rejects(client.callTool({ name: 'list_failures' }), /cannot reach .*connection refused/);
});
