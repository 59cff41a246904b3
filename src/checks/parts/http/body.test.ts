// Bodies of responses: compressed, broken, huge or in other charsets.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import * as zlib from 'node:zlib';
import { createGuard } from '#egress/guard.ts';
import { apiCheck, inputOf, variable } from '../../../../tests/support/checks/api-check.ts';
import { apiKind } from '../../kinds/api/api-kind.ts';
import { detailsOf, probeOnce, responseOf, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { startTarget, startTcpTarget } from '../../../../tests/support/targets/target.ts';

type Cleanup = Parameters<typeof startTarget>[0];

function startBody(t: Cleanup, body: Buffer | string, headers: Record<string, string>) {
  return startTarget(t, (_, response) => response.writeHead(200, headers).end(body));
}

const text = '{"answer":"grün"}';
const encodings: Record<string, Buffer> = {
  gzip: zlib.gzipSync(text),
  'x-gzip': zlib.gzipSync(text),
  br: zlib.brotliCompressSync(text),
  zstd: zlib.zstdCompressSync(text),
  deflate: zlib.deflateSync(text),
  'identity, Deflate': zlib.deflateRawSync(text),
  'gzip, br': zlib.brotliCompressSync(zlib.gzipSync(text)),
};
for (const [encoding, body] of Object.entries(encodings)) {
  test(`reads a body in ${encoding} and reports both sizes`, async (t) => {
    const target = await startBody(t, body, { 'content-encoding': encoding, 'content-type': 'application/json' });
    const assertions = [{ source: 'JSON_BODY', property: '$.answer', comparison: 'EQUALS', target: 'grün' }];
    const finding = await probeOnce({ url: target.url, assertions });
    assert.equal(verdictOf(finding), 'passed');
    assert.equal(responseOf(finding)['body'], text);
    assert.deepEqual([detailsOf(finding).sizes.body, detailsOf(finding).sizes.decoded], [body.length, 18]);
  });
}

test('fails if a body does not match its content encoding', async (t) => {
  for (const encoding of ['gzip', 'br', 'zstd', 'deflate']) {
    const target = await startBody(t, Buffer.alloc(1000, 'plain'), { 'content-encoding': encoding });
    const finding = await probeOnce({ url: target.url });
    assert.equal(verdictOf(finding), 'failed body', encoding);
    assert.match(finding.message ?? '', new RegExp(encoding));
  }
  const target = await startBody(t, '', { 'content-encoding': 'gzip' });
  assert.equal(verdictOf(await probeOnce({ url: target.url, method: 'HEAD' })), 'passed');
});

test('ignores bytes after a compressed body, but rejects a damaged body', async (t) => {
  const large = JSON.stringify({ answer: 'grün', rest: randomBytes(300_000).toString('hex') });
  const assertions = [{ source: 'JSON_BODY', property: '$.answer', comparison: 'EQUALS', target: 'grün' }];
  const named = Buffer.concat([Buffer.from('1f8b080800000000000361646300', 'hex'), zlib.gzipSync(text).subarray(10)]);
  const inspected = async (encoding: string, body: Buffer) => {
    const target = await startBody(t, body, { 'content-encoding': encoding });
    return verdictOf(await probeOnce({ url: target.url, assertions }));
  };
  const bodies = [
    ...Object.entries(encodings),
    ['gzip', zlib.gzipSync(large)],
    ['br', zlib.brotliCompressSync(large)],
    ['gzip', named],
  ] as const;
  for (const tail of ['\r\n', 'more', '\0\0', '\x1f']) {
    for (const [encoding, body] of bodies) {
      const outer = Buffer.concat([body, Buffer.from(tail)]);
      assert.equal(await inspected(encoding, outer), 'passed', `${encoding} ${JSON.stringify(tail)}`);
    }
    const damaged = Buffer.from(encodings['gzip'] ?? '');
    damaged.writeUInt8((damaged.at(-6) ?? 0) ^ 1, damaged.length - 6);
    assert.equal(await inspected('gzip', Buffer.concat([damaged, Buffer.from(tail)])), 'failed body');
  }
  const two = Buffer.concat([zlib.gzipSync(text.slice(0, 5)), zlib.gzipSync(text.slice(5))]);
  assert.equal(await inspected('gzip', two), 'passed', 'consecutive members');
  assert.equal(await inspected('gzip', two.subarray(0, -9)), 'failed body');
});

test('an unknown encoding fails only a check that uses the body', async (t) => {
  const target = await startBody(t, text, { 'content-encoding': 'UTF-8' });
  const finding = await probeOnce({ url: target.url });
  assert.equal(verdictOf(finding), 'passed');
  assert.equal(responseOf(finding)['body'], text);
  for (const source of ['TEXT_BODY', 'JSON_BODY']) {
    const read = await probeOnce({ url: target.url, assertions: [{ source, property: '', comparison: 'NOT_EMPTY' }] });
    assert.equal(verdictOf(read), 'failed body');
    assert.equal(read.message, 'the body has the unknown encoding "utf-8"');
  }
  const guard = createGuard({ mode: 'any', allow: [] });
  const exchange = apiKind.hooks?.createExchange({ guard, version: '9.9' }) ?? assert.fail();
  const work = { half: 'send', input: inputOf(apiCheck({ url: target.url })), wantsAnswer: true } as const;
  const forScript = (await exchange(work, new AbortController().signal)).finding;
  assert.deepEqual(
    [verdictOf(forScript), forScript.message],
    ['failed body', 'the body has the unknown encoding "utf-8"'],
  );
  const down = await startTarget(t, (_, response) => response.writeHead(503, { 'content-encoding': 'odd' }).end('a'));
  const assertions = [{ source: 'TEXT_BODY', property: '', comparison: 'NOT_EMPTY' }];
  const status = 'expected a status below 400, got 503 Service Unavailable';
  assert.equal((await probeOnce({ url: down.url })).message, status);
  const read = await probeOnce({ url: down.url, assertions });
  assert.equal(read.message, `${status}; the body has the unknown encoding "odd"`);
});

test('decodes transfer encodings like content encodings', async (t) => {
  const chunked = (body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
  const plain = Buffer.from(text);
  const gzip = zlib.gzipSync(text);
  const assertions = [{ source: 'JSON_BODY', property: '$.answer', comparison: 'EQUALS', target: 'grün' }];
  for (const [head, body, expected] of [
    ['transfer-encoding: gzip, chunked', chunked(gzip), 'passed'],
    ['transfer-encoding: gzip\r\ntransfer-encoding: Chunked', chunked(gzip), 'passed'],
    ['transfer-encoding: gzip', gzip, 'passed'],
    [
      'transfer-encoding: gzip, chunked\r\ncontent-encoding: br',
      chunked(zlib.gzipSync(encodings['br'] ?? '')),
      'passed',
    ],
    ['transfer-encoding: compress, chunked', chunked(gzip), 'the body has the unknown encoding "compress"'],
    ['transfer-encoding: chunked, gzip', zlib.gzipSync(chunked(plain)), 'the body has the unknown encoding "chunked"'],
    ['transfer-encoding: gzip, chunked', chunked(plain), 'the body is labelled gzip but is not valid gzip'],
  ] as const) {
    const target = await startTcpTarget(t, (socket) =>
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), body]))),
    );
    const finding = await probeOnce({ url: target.url, assertions });
    assert.equal(finding.message ?? finding.verdict, expected, head);
  }
});

test('fails for too many encodings or one with a large window', async (t) => {
  const layers = Array.from({ length: 5 }).reduce<Buffer>((bytes) => zlib.gzipSync(bytes), Buffer.from(text));
  const many = await startBody(t, layers, { 'content-encoding': 'gzip, gzip, gzip, gzip, gzip' });
  const layered = await probeOnce({ url: many.url });
  assert.equal(verdictOf(layered), 'failed body');
  assert.match(layered.message ?? '', /more than 4 content encodings/);
  for (const [window, verdict] of [
    [23, 'passed'],
    [27, 'failed body'],
  ] as const) {
    const params = { [zlib.constants.ZSTD_c_windowLog]: window };
    const target = await startBody(t, await streamed(params), { 'content-encoding': 'zstd' });
    assert.equal(verdictOf(await probeOnce({ url: target.url })), verdict, `window of 2^${window}`);
  }
});

/** Compressed without a known length, so that the full window is requested. */
async function streamed(params: Record<number, number>): Promise<Buffer> {
  const stream = zlib.createZstdCompress({ params });
  stream.write(text.repeat(100));
  stream.flush(() => stream.end());
  return Buffer.concat(await stream.toArray());
}

test('cuts a decompression bomb at 5 MB and fails only if an assertion needs the body', async (t) => {
  const bombs = {
    gzip: zlib.gzipSync(Buffer.alloc(40_000_000)),
    br: zlib.brotliCompressSync(Buffer.alloc(40_000_000)),
  };
  for (const [encoding, bomb] of Object.entries(bombs)) {
    const target = await startBody(t, bomb, { 'content-encoding': encoding, 'content-type': 'text/plain' });
    const inspected = await probeOnce({ url: target.url });
    assert.equal(verdictOf(inspected), 'passed');
    assert.deepEqual([detailsOf(inspected).truncated, detailsOf(inspected).sizes.decoded], [true, 5 * 1024 * 1024]);
    assert.equal(responseOf(inspected)['truncated'], true);
    const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'x' }];
    const needed = await probeOnce({ url: target.url, assertions });
    assert.equal(verdictOf(needed), 'failed body');
    assert.match(needed.message ?? '', /larger than 5 MB/);
  }
});

test('stops reading an endless body at 5 MB', async (t) => {
  const target = await startTarget(t, (_, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'endless ');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  const finding = await probeOnce({ url: target.url });
  assert.equal(verdictOf(finding), 'passed');
  assert.equal(detailsOf(finding).truncated, true);
});

test('stores 64 kB as text in its charset, otherwise as base64', async (t) => {
  const shown = async (body: Buffer, headers: Record<string, string>) => {
    const target = await startBody(t, body, headers);
    const { body: kept, bodyEncoding, truncated } = responseOf(await probeOnce({ url: target.url }));
    return { body: kept, bodyEncoding, truncated };
  };
  const latin = await shown(Buffer.from('grün', 'latin1'), { 'content-type': 'text/plain; charset=ISO-8859-1' });
  assert.deepEqual(latin, { body: 'grün', bodyEncoding: undefined, truncated: false });
  const bytes = Buffer.from([0x89, 0x50, 0, 0xff, 1]);
  const binary = await shown(bytes, { 'content-type': 'image/png' });
  assert.deepEqual(binary, { body: bytes.toString('base64'), bodyEncoding: 'base64', truncated: false });
  assert.equal((await shown(Buffer.from('plain ü'), {})).body, 'plain ü');
  const long = await shown(Buffer.from(`a${'ü'.repeat(40_000)}`), { 'content-type': 'text/plain' });
  assert.equal(long.truncated, true);
  assert.equal(long.body, `a${'ü'.repeat(32_767)}`);
  const noise = await shown(Buffer.alloc(100_000, 0xff), { 'content-type': 'application/octet-stream' });
  assert.deepEqual([textOf(noise.body).length, noise.truncated], [Math.ceil(65_536 / 3) * 4, true]);
});

test('no partial secret remains at a cut or in a binary body', async (t) => {
  const secret = 'the-secret-token';
  const variables = [variable('S', secret, true)];
  for (const type of ['text/plain', 'application/octet-stream']) {
    const body = Buffer.concat([
      Buffer.alloc(65_530, 'x'),
      Buffer.from(secret),
      Buffer.from([0, 255]),
      Buffer.from(secret),
    ]);
    const target = await startBody(t, body, { 'content-type': type });
    const { body: kept, bodyEncoding } = responseOf(await probeOnce({ url: target.url }, { variables }));
    const plain = bodyEncoding === 'base64' ? Buffer.from(textOf(kept), 'base64').toString('latin1') : textOf(kept);
    assert.equal(plain.slice(65_520), `${'x'.repeat(10)}******`, type);
  }
});

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : assert.fail('no text');
}
