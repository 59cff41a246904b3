// Copies of status pages in a folder and in a real bucket: whole, in the right order, and nothing of anybody else.
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { request } from 'undici';
import { troubledSnapshot } from '../../../tests/support/page-snapshots.ts';
import { startS3Server } from '../../../tests/support/targets/s3-server.ts';
import type { PublishedFile } from '../page-view.ts';
import { renderPage } from '../render-page.ts';
import { createBucketPlace, type SendToBucket } from './bucket-place.ts';
import { type CopyPlace, createPageCopier } from './page-copier.ts';
import { createFolderPlace } from './folder-place.ts';

const free = (): Promise<void> => Promise.resolve();
const some = (index = 'page'): Map<string, PublishedFile> =>
  new Map([
    ['index.html', { mediaType: 'text/html; charset=utf-8', content: index }],
    ['assets/style-1.css', { mediaType: 'text/css; charset=utf-8', content: 'p{}' }],
    ['assets/logo-1.png', { mediaType: 'image/png', content: Uint8Array.of(0x89, 0, 0xff) }],
    ['history/2026-11.html', { mediaType: 'text/html; charset=utf-8', content: 'history' }],
    ['summary.json', { mediaType: 'application/json; charset=utf-8', content: '{}' }],
  ]);

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-copies-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Files below a folder, but for the lists of what was written. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith('.tocsin/'))
    .sort();
}

/** A place that notes what is done with it, and fails when told. */
function watched(place: CopyPlace): { place: CopyPlace; done: string[]; failAt: (count: number) => void } {
  const done: string[] = [];
  let left = Infinity;
  const note = (what: string): void => {
    if (left-- <= 0) throw new Error('killed');
    if (!what.includes('.tocsin')) done.push(what);
  };
  return {
    done,
    failAt: (count) => {
      left = count;
    },
    place: {
      atOnce: 1,
      read: (path) => place.read(path),
      write: async (path, file) => {
        note(`write ${path}`);
        await place.write(path, file);
      },
      remove: async (path) => {
        note(`remove ${path}`);
        await place.remove(path);
      },
    },
  };
}

suite('copies of status pages in a folder', () => {
  test('are the files of the page, the page itself last, and only what changed is written again', async (t) => {
    const folder = newFolder(t);
    const { place, done } = watched(createFolderPlace(join(folder, 'new')));
    const copier = createPageCopier(place, free);
    const files = renderPage(troubledSnapshot('outage'));
    await copier.urls();
    await copier.copy('example', files);
    assert.deepEqual(filesOf(join(folder, 'new')), [...files.keys()].map((path) => `example/${path}`).sort());
    for (const [path, { content }] of files)
      assert.deepEqual(readFileSync(join(folder, 'new/example', path)), Buffer.from(content));
    assert.equal(done.at(-1), 'write example/index.html');
    const isDocument = (line: string): boolean => line.endsWith('.html');
    assert.ok(done.findLastIndex((line) => !isDocument(line)) < done.findIndex(isDocument));
    done.length = 0;
    await copier.copy('example', new Map(files).set('index.html', { mediaType: 'text/html', content: 'new' }));
    assert.deepEqual(done, ['write example/index.html']);
  });

  test('disappear with their page, and files of others stay', async (t) => {
    const folder = newFolder(t);
    const copier = createPageCopier(createFolderPlace(folder), free);
    await copier.urls();
    await copier.copy('one', some());
    await copier.copy('two', some());
    writeFileSync(join(folder, 'one', 'robots.txt'), 'of the operator');
    writeFileSync(join(folder, 'index.html'), 'of the operator');
    const { 'summary.json': _, ...others } = Object.fromEntries(some('again'));
    await copier.copy('two', new Map(Object.entries(others)));
    const next = createPageCopier(createFolderPlace(folder), free);
    assert.deepEqual(await next.urls(), ['one', 'two']);
    await next.remove('one');
    assert.deepEqual(filesOf(folder), [
      'index.html',
      'one/robots.txt',
      ...Object.keys(others)
        .map((path) => `two/${path}`)
        .sort(),
    ]);
    await next.remove('two');
    assert.deepEqual(readdirSync(folder).sort(), ['.tocsin', 'index.html', 'one']);
    assert.deepEqual(await next.urls(), []);
  });

  test('keep older styles and images for a while, which cached pages name', async (t) => {
    const folder = newFolder(t);
    const copier = createPageCopier(createFolderPlace(folder), free);
    for (let round = 0; round < 20; round++) {
      const style = { mediaType: 'text/css', content: `p{order:${round}}` };
      await copier.copy('example', new Map([...some().entries()].slice(0, 1)).set(`assets/style-${round}.css`, style));
    }
    assert.equal(readdirSync(join(folder, 'example/assets')).length, 13);
    assert.ok(readdirSync(join(folder, 'example/assets')).includes('style-19.css'));
  });

  test('never follow links out of the folder, and never replace a page of somebody else', async (t) => {
    const [folder, outside] = [newFolder(t), newFolder(t)];
    writeFileSync(join(outside, 'index.html'), 'outside');
    const copier = createPageCopier(createFolderPlace(folder), free);
    symlinkSync(outside, join(folder, 'linked'));
    await assert.rejects(copier.copy('linked', some()), /linked in the folder is not a folder/);
    mkdirSync(join(folder, 'taken'));
    writeFileSync(join(folder, 'taken', 'index.html'), 'of the operator');
    await assert.rejects(copier.copy('taken', some()), /taken\/index\.html exists and was not written by Tocsin/);
    await copier.copy('fine', some());
    rmSync(join(folder, 'fine', 'index.html'));
    symlinkSync(join(outside, 'index.html'), join(folder, 'fine', 'index.html'));
    rmSync(join(folder, 'fine', 'assets'), { recursive: true });
    symlinkSync(outside, join(folder, 'fine', 'assets'));
    // A list that somebody changed names nothing outside.
    const list = join(folder, '.tocsin', 'fine.json');
    const names = JSON.parse(readFileSync(list, 'utf8')) as string[];
    writeFileSync(list, JSON.stringify([...names, '../taken/index.html', '../../x', '/etc/hosts', 'a/../../y']));
    const next = createPageCopier(createFolderPlace(folder), free);
    await next.urls();
    await assert.rejects(next.copy('fine', some()), /fine\/assets in the folder is not a folder/);
    rmSync(join(folder, 'fine', 'assets'));
    await next.copy('fine', some());
    assert.ok(!statSync(join(folder, 'fine', 'index.html')).isSymbolicLink());
    await next.remove('fine');
    assert.equal(readFileSync(join(folder, 'taken', 'index.html'), 'utf8'), 'of the operator');
    assert.deepEqual(
      [readdirSync(outside), readFileSync(join(outside, 'index.html'), 'utf8')],
      [['index.html'], 'outside'],
    );
  });

  test('are complete after a process ended at any point of a change, and removed whole by the next one', async (t) => {
    const all = [...some().keys()].length;
    for (let at = 0; at < all + 6; at++) {
      const folder = newFolder(t);
      const first = createPageCopier(createFolderPlace(folder), free);
      await first.copy('example', some('old'));
      const { place, failAt } = watched(createFolderPlace(folder));
      const killed = createPageCopier(place, free);
      await killed.urls();
      failAt(at);
      const changed = new Map(some('new')).set('incidents/1.html', { mediaType: 'text/html', content: 'incident' });
      changed.delete('summary.json');
      await killed.copy('example', changed).catch(() => undefined);
      // Visitors have the old page or the new one with all that it names.
      const index = readFileSync(join(folder, 'example/index.html'), 'utf8');
      assert.match(index, /^(?:old|new)$/);
      if (index === 'new') assert.ok(filesOf(folder).includes('example/incidents/1.html'));
      writeFileSync(join(folder, '.tocsin', 'abandoned.part'), 'half');
      const next = createPageCopier(createFolderPlace(folder), free);
      await next.urls();
      if (at % 2 === 0) {
        await next.copy('example', changed);
        assert.deepEqual(filesOf(folder), [...changed.keys()].map((path) => `example/${path}`).sort());
      }
      await next.remove('example');
      assert.deepEqual([filesOf(folder), readdirSync(folder)], [[], ['.tocsin']]);
      assert.deepEqual(readdirSync(join(folder, '.tocsin')), ['pages.json']);
    }
  });

  test('stop as soon as another process has taken over', async (t) => {
    const folder = newFolder(t);
    let left = 4;
    const copier = createPageCopier(createFolderPlace(folder), () =>
      left-- > 0 ? Promise.resolve() : Promise.reject(new Error('another process took over')),
    );
    await assert.rejects(copier.copy('example', some()), /another process took over/);
    assert.equal(filesOf(folder).length, 2);
  });
});

const send: SendToBucket = async ({ url, ...options }) => {
  const { statusCode, body } = await request(url, options);
  return { status: statusCode, body: Buffer.from(await body.arrayBuffer()) };
};

suite('copies of status pages in a bucket', () => {
  test('have the types and times to live that Tocsin sends, and are signed', async (t) => {
    const s3 = await startS3Server(t);
    const place = createBucketPlace({ url: `${s3.url}/status`, region: 'eu-central-1', ...s3.key }, send);
    const copier = createPageCopier(place, free);
    assert.deepEqual(await copier.urls(), []);
    const files = renderPage(troubledSnapshot('outage'), {
      logo: { mediaType: 'image/png', content: Uint8Array.of(1) },
    });
    await copier.copy('example', files);
    for (const [path, { mediaType, content }] of files) {
      const found = (await s3.read(`status/example/${path}`)) ?? assert.fail(path);
      assert.equal(found.headers.get('content-type'), mediaType);
      assert.deepEqual(found.text, Buffer.from(content).toString('utf8'));
      const age = path.startsWith('assets/') ? 'max-age=31536000, immutable' : 'max-age=15, stale-while-revalidate';
      assert.ok(found.headers.get('cache-control')?.includes(age), path);
    }
    const puts = s3.accepted.filter((line) => line.startsWith('PUT'));
    assert.equal(puts.at(-1), 'PUT /pages/status/example/index.html');
    await copier.copy('example', files);
    assert.equal(s3.accepted.filter((line) => line.startsWith('PUT')).length, puts.length);
    const next = createPageCopier(place, free);
    assert.deepEqual(await next.urls(), ['example']);
    await next.remove('example');
    for (const path of files.keys()) assert.equal(await s3.read(`status/example/${path}`), null, path);
  });

  test('fail with the code of the answer and nothing else of it', async (t) => {
    const s3 = await startS3Server(t);
    const wrong = createBucketPlace({ url: s3.url, region: 'us-east-1', ...s3.key, secret: 'secret-canary' }, send);
    await assert.rejects(wrong.read('x'), {
      message: /^the bucket answered GET x with status 403 \(SignatureDoesNotMatch\)$/,
    });
    const missing = createBucketPlace(
      { url: s3.url.replace('pages', 'nothing'), region: 'us-east-1', ...s3.key },
      send,
    );
    await assert.rejects(missing.write('x', { mediaType: 'text/plain', content: '' }), /status 404 \(NoSuchBucket\)/);
  });
});
