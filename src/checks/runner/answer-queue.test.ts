// The queue of responses beside a probe thread.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compileAssertion } from '../parts/assertions/assertion.ts';
import type { AnswerWork } from '../parts/findings/answer-work.ts';
import { createRedactor } from '../parts/redact.ts';
import { createAnswerQueue } from './answer-queue.ts';

function work(accountId: string, comparison: string, property: string, json: unknown, target = '1'): AnswerWork {
  const assertion = compileAssertion({ source: 'JSON_BODY', comparison, property, target, regex: '' }, ['JSON_BODY']);
  if (typeof assertion === 'string') assert.fail(assertion);
  const bytes = Buffer.from(JSON.stringify(json));
  const read = { contentEncoding: undefined, contentType: 'application/json', isCut: false, unreadable: null };
  const body = { ...read, pieces: [bytes.subarray(0, 1), bytes.subarray(1)], wantsText: true };
  return { accountId, assertions: [assertion], values: {}, body, redactor: createRedactor(['hunter22']) };
}

test('returns outcomes and the stored body with masked secrets', async () => {
  const queue = createAnswerQueue();
  const { outcomes, body } = await queue(work('a', 'EQUALS', '$.pass', { pass: 'hunter22' }));
  assert.deepEqual(outcomes, [{ passed: false, actual: '********', problem: null }]);
  assert.deepEqual([body?.kept.body, body?.text], ['{"pass":"********"}', '{"pass":"hunter22"}']);
});

test('an account with much work delays another by one job', async () => {
  const queue = createAnswerQueue();
  const ended: string[] = [];
  const slow = Array.from({ length: 2000 }, (_, index) => ({ index }));
  const jobs = [1, 2, 3].map((): AnswerWork => ({
    ...work('b', 'IS_EMPTY', '$..[?count($..*) > 1]', slow),
    leftMs: 50,
  }));
  jobs.push(work('a', 'EQUALS', '$', 1));
  const results = await Promise.all(
    jobs.map(async (job) => {
      const { outcomes } = await queue(job);
      ended.push(job.accountId);
      return outcomes[0]?.problem ?? null;
    }),
  );
  assert.deepEqual(ended, ['b', 'a', 'b', 'b']);
  assert.match(results[0] ?? '', /^(evaluation takes longer than the 500 ms|Tocsin was too busy)/);
  assert.equal(results[3], null);
});

test('work beyond the memory limit fails, and the next job runs', async () => {
  const queue = createAnswerQueue(24);
  const wide = Array.from({ length: 1_200_000 }, () => []);
  const [large, next] = await Promise.all([
    queue(work('b', 'NOT_NULL', '$', wide)),
    queue(work('a', 'EQUALS', '$', 1)),
  ]);
  assert.deepEqual(large.outcomes, [
    { passed: false, actual: null, problem: 'evaluation takes more than 24 MB of memory' },
  ]);
  assert.equal(next.outcomes[0]?.passed, true);
});
