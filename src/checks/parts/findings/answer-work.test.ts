// Processing responses here or in another thread.
import assert from 'node:assert/strict';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { probeOnce, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { startTarget } from '../../../../tests/support/targets/target.ts';
import { compileAssertion } from '../assertions/assertion.ts';
import { createRedactor } from '../redact.ts';
import { type AnswerWork, type Offload, undone, workOn } from './answer-work.ts';

function work(text: string, comparison: string, property: string, change: Partial<AnswerWork> = {}): AnswerWork {
  const source = property.startsWith('$') ? 'JSON_BODY' : 'TEXT_BODY';
  const assertion = compileAssertion({ source, comparison, property, target: '1', regex: '' }, [source]);
  if (typeof assertion === 'string') assert.fail(assertion);
  const read = { contentEncoding: undefined, contentType: undefined, isCut: false, unreadable: null, wantsText: false };
  const body = { ...read, pieces: [Buffer.from(text)] };
  return { accountId: 'a', assertions: [assertion], values: {}, body, redactor: createRedactor([]), ...change };
}

test('does cheap work here and the rest elsewhere', async () => {
  let left = 0;
  const offload: Offload = (given) => {
    left++;
    return Promise.resolve(undone(given, { problem: 'elsewhere' }));
  };
  const isHere = async (given: AnswerWork): Promise<boolean> => {
    const before = left;
    await workOn(given, offload);
    return left === before;
  };
  assert.equal(await isHere(work('{"a":1}', 'EQUALS', '$.a')), true);
  assert.equal(await isHere(work('{"a":1}', 'EQUALS', '$[*]')), false, 'a path with several matches');
  assert.equal(await isHere(work('aaa', 'NOT_EMPTY', '^(a|a)*$')), false, 'a regex that can take forever');
  assert.equal(await isHere(work(`"${'x'.repeat(20_000)}"`, 'EQUALS', '$')), false, 'a large document');
  assert.equal(await isHere(work('x'.repeat(100_000), 'NOT_EMPTY', '')), false, 'a large text');
  const packed = work('', 'EQUALS', '$');
  const body = typeof packed.body === 'object' && packed.body !== null ? packed.body : assert.fail();
  const pieces = [gzipSync(`"${'x'.repeat(100_000)}"`)];
  assert.equal(await isHere({ ...packed, body: { ...body, pieces, contentEncoding: 'gzip' } }), false, 'once unpacked');
  const secrets = createRedactor(Array.from({ length: 2000 }, (_, index) => `secret number ${index}`));
  const small = 'x'.repeat(5000);
  assert.equal(await isHere(work(small, 'NOT_EMPTY', '')), true);
  assert.equal(await isHere(work(small, 'NOT_EMPTY', '', { redactor: secrets })), false, 'many secrets to hide');
});

test('a status of 500 fails regardless of assertions on its body', async (t) => {
  const bodies = {
    deep: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    broken: '{"a":',
    wide: JSON.stringify(Array.from({ length: 3000 }, (_, index) => ({ index }))),
  };
  const target = await startTarget(t, (request, response) => {
    response.statusCode = 500;
    response.end(bodies[(request.url ?? '').slice(1) as keyof typeof bodies]);
  });
  for (const name of Object.keys(bodies)) {
    for (const property of ['$.a', '$..[?count($..*) > 1]']) {
      const assertions = ['EQUALS', 'NOT_EQUALS', 'IS_EMPTY'].map((comparison) => {
        return { source: 'JSON_BODY', property, comparison, target: '1' };
      });
      const finding = await probeOnce({ url: `${target.url}/${name}`, assertions });
      assert.equal(verdictOf(finding), 'failed status', `${name} ${property}`);
      assert.match(finding.message ?? '', /^expected a status below 400, got 500/);
    }
  }
});

test('a lost thread keeps the status and fails the assertion', async (t) => {
  const target = await startTarget(t, (request, response) => {
    response.statusCode = Number(request.url?.slice(1));
    response.end('{"a":1}');
  });
  const assertions = [{ source: 'JSON_BODY', property: '$[*]', comparison: 'EQUALS', target: '1' }];
  const inspect = async (status: number, offload: Offload): Promise<string> =>
    verdictOf(await probeOnce({ url: `${target.url}/${status}`, assertions }, { deps: { offload } }));
  const lost: Offload = () => Promise.reject(new Error('lost'));
  const busy: Offload = (given) => Promise.resolve(undone(given, { problem: 'too busy', isOurs: true }));
  assert.deepEqual([await inspect(500, lost), await inspect(200, lost)], ['failed status', 'failed assertion']);
  assert.deepEqual([await inspect(500, busy), await inspect(200, busy)], ['failed status', 'unknown observer-slow']);
});
