// Copies of public status pages in a folder and a bucket: they outlive the service, and private pages never get there.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '../support/service/two-processes.ts';
import { type Cleanup } from '../support/targets/scripted-server.ts';
import { startS3Server } from '../support/targets/s3-server.ts';
import { until } from '../support/until.ts';

/** A killed process has its lease for 30 s, and a request that hangs ends after 10 s. */
const takesOver = { withinMs: 60_000 };
const privately = ['PASSWORD', 'LINK', 'ACCOUNT'] as const;

/** Any web server that serves a folder. */
async function serve(t: Cleanup, folder: string): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(folder, url.endsWith('/') ? `${url}index.html` : url);
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function textsOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((path) => `${path}\n${readFileSync(path, 'latin1')}`);
}

test('a public page outlives the service in a folder and a bucket, and private pages are in neither', async ({
  t,
  startService,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-flow-copies-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const s3 = await startS3Server(t);
  const service = await startService(t, {
    TOCSIN_PUBLISH_FOLDER: folder,
    TOCSIN_PUBLISH_BUCKET: `${s3.url}/status`,
    TOCSIN_PUBLISH_BUCKET_KEY_ID: s3.key.keyId,
    TOCSIN_PUBLISH_BUCKET_SECRET: s3.key.secret,
  });
  for (const visibility of privately) {
    const password = visibility === 'PASSWORD' ? { password: 'a long password' } : {};
    const name = `canary ${visibility}`;
    await service.must('POST', '/v1/status-pages', {
      name,
      url: `canary-${visibility.toLowerCase()}`,
      visibility,
      ...password,
    });
  }
  await service.must('POST', '/v1/status-pages', { name: 'canary draft', url: 'canary-draft', isPublished: false });
  const { id } = await service.must('POST', '/v1/status-pages/services', { name: 'Checkout' });
  const page = await service.must('POST', '/v1/status-pages', {
    name: 'Example status',
    url: 'example',
    cards: [{ name: 'Shop', services: [id] }],
  });
  const path = `/v1/status-pages/${String(page['id'])}`;
  const inFolder = (): string | null => {
    const file = join(folder, 'example', 'index.html');
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  const inBucket = async (): Promise<string | null> => (await s3.read('status/example/index.html'))?.text ?? null;
  await until('a copy in the folder', () => inFolder()?.includes('Example status'), takesOver);
  await until('a copy in the bucket', async () => (await inBucket())?.includes('Example status'), takesOver);

  // A bucket that hangs delays nothing else.
  s3.treat('hang');
  await service.must('PUT', path, { name: 'Renamed status' });
  await until('the change in the folder', () => inFolder()?.includes('Renamed status'), takesOver);
  const served = async (): Promise<string> => (await fetch(`${service.address}/status/example/`)).text();
  await until('the change on the served page', async () => (await served()).includes('Renamed status'), takesOver);
  s3.treat('well');
  await until('the change in the bucket', async () => (await inBucket())?.includes('Renamed status'), takesOver);

  const address = await serve(t, folder);
  await service.kill();
  const visited = await fetch(`${address}/example/`);
  assert.match(await visited.text(), /Renamed status/);
  for (const file of ['summary.json', 'feed.atom', 'embed.html', 'api/v2/summary.json', 'badge.svg'])
    assert.equal((await fetch(`${address}/example/${file}`)).status, 200, file);
  assert.match((await inBucket()) ?? '', /Renamed status/);

  await service.restart();
  await service.must('PUT', path, { name: 'Status after the restart' });
  await until('the next change in the folder', () => inFolder()?.includes('Status after the restart'), takesOver);
  await until('and in the bucket', async () => (await inBucket())?.includes('Status after the restart'), takesOver);
  assert.doesNotMatch(textsOf(folder).join('\n'), /canary/);
  assert.doesNotMatch(s3.accepted.join('\n'), /canary/);

  await service.must('PUT', path, { visibility: 'PASSWORD', password: 'a long password' });
  await until('no copy in the folder', () => inFolder() === null, takesOver);
  await until('and none in the bucket', async () => (await inBucket()) === null, takesOver);
  // Files are not read here: they disappear one after the other.
  await until('nothing but the list', () => readdirSync(folder).join() === '.tocsin', takesOver);
  await until('an empty list', () => readdirSync(join(folder, '.tocsin')).length === 1, takesOver);
  await until(
    'nothing of it in the bucket',
    async () => (await s3.read('status/.tocsin/example.json')) === null,
    takesOver,
  );
  assert.equal(await s3.read('status/example/summary.json'), null);
});
