// Reports take turns, so that many of one account do not slow down others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { batchesOf, type SubjectReader } from './reports.ts';

/** An account with one batch of checks; returns the function that ends its report. */
async function begin(accountId: string, seen: string[], signal = new AbortController().signal) {
  const after: SubjectReader['after'] = () => {
    seen.push(accountId);
    return Promise.resolve([{ checkId: 'one', name: 'Shop', checkType: 'API', activated: true, tags: [] }]);
  };
  const scope = { accountId, filter: { tags: [], activated: true }, atOnce: 10, signal };
  const batches = batchesOf({ after }, scope)[Symbol.asyncIterator]();
  const first = batches.next();
  await new Promise((resolve) => void setImmediate(resolve));
  return { first, end: () => batches.return?.() };
}

it('reports of an account are read one after the other, beside one of another account', async () => {
  const seen: string[] = [];
  const [one, two] = [await begin('busy', seen), await begin('busy', seen)];
  const other = await begin('other', seen);
  assert.deepEqual(seen, ['busy', 'other']);
  await one.end();
  await two.first;
  assert.deepEqual(seen, ['busy', 'other', 'busy']);
  await Promise.all([two.end(), other.end()]);
});

it('a report whose caller has gone does not wait for its turn', async () => {
  const seen: string[] = [];
  const gone = new AbortController();
  const [one, two] = [await begin('busy', seen), await begin('busy', seen, gone.signal)];
  gone.abort();
  assert.deepEqual(await two.first, { done: true, value: undefined });
  await one.end();
  assert.deepEqual(seen, ['busy']);
});
