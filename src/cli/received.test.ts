// How `receive` judges webhooks: signature, retry or repeat.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receiverVectors } from '../../tooling/receiver-vectors.ts';
import { type Arrived, createInbox, receivedText } from './received.ts';

const arrived = (headers: Record<string, string>, body = '{}'): Arrived => ({
  at: 1_000_000,
  method: 'POST',
  url: '/',
  headers,
  body: Buffer.from(body),
});
const attempt = (id: string, number: number): Arrived =>
  arrived({ 'x-service-delivery-id': id, 'x-service-attempt': String(number), 'x-service-timestamp': '999000' });

describe('a webhook that is received', () => {
  it('is verified like in any receiver', () => {
    for (const { name, secrets, nowMs, headers, body, verdict } of receiverVectors()) {
      const { standardSignature } = createInbox(secrets)({ ...arrived({ ...headers }, body), at: nowMs });
      const expected = secrets.length === 0 ? 'unchecked' : verdict;
      const isMissing = headers['webhook-signature'] === undefined;
      assert.equal(standardSignature, isMissing ? 'missing' : expected, name);
    }
  });

  it('is distinguished from retries and repeats', () => {
    const take = createInbox([]);
    const kinds = [attempt('a', 1), attempt('a', 2), attempt('a', 2), attempt('b', 1), attempt('a', 1)].map(
      (each) => take(each).kind,
    );
    assert.deepEqual(kinds, ['first', 'retry', 'repeat', 'first', 'repeat']);
  });

  it('is printed with its age and with control characters made visible', () => {
    const shown = receivedText(
      createInbox([])({ ...attempt('a\u001b[2J', 3), body: Buffer.from('\u009b31m\u202eodd') }),
      '200',
    );
    assert.match(shown, /attempt 3, created 1\.0 s earlier/);
    assert.ok(shown.includes('a\\u001b[2J'));
    assert.ok(shown.includes('\\u009b31m\\u202eodd'));
  });
});
