// Which operations reserve bytes before they read rows, for all operations of the contract (docs/decisions/0131).
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { Operation, Operations } from '#contract/operation.ts';
import { operations } from '#contract/operations.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { createSending } from './request-bytes.ts';

/** Pings and health must not be refused; all responses of the documentation share their bytes. */
const holdNothing = [
  'getDocs',
  'getDocsPage',
  'getDocsScript',
  'getDocsStyle',
  'getFileSchema',
  'getLiveness',
  'getLlmsIndex',
  'getOpenApi',
  'getReadiness',
];

const refusedStatus = async (operation: Operation, each: number): Promise<number> => {
  const allowed = { each, all: 1e9, spare: 0 };
  const sending = createSending({ accounts: allowed, addresses: allowed, waitMs: 1 });
  const accountId = operation.permission === 'none' ? null : 'a';
  const of = { operation, headers: {}, accountId, address: '192.0.2.1' };
  try {
    await sending.reserve(of, new ServerResponse(new IncomingMessage(new Socket())));
    return 0;
  } catch (error) {
    assert.ok(error instanceof HttpRefusal && error.headers?.['retry-after'] !== undefined);
    return error.statusCode;
  }
};

test('every operation except pings, health and the documentation waits for bytes, and gets 429 without them', async () => {
  const free: string[] = [];
  for (const [id, operation] of Object.entries<Operation>(operations as Operations)) {
    if ((await refusedStatus(operation, 1000)) !== 429) free.push(id);
  }
  const pings = free.filter((id) => (operations as Operations)[id]?.path.startsWith('/ping/'));
  assert.deepEqual(free.filter((id) => !pings.includes(id)).toSorted(), holdNothing);
});

test('every list reserves more than its largest page', async () => {
  for (const [id, operation] of Object.entries<Operation>(operations as Operations)) {
    if (operation.isPaged && operation.permission !== 'none') {
      assert.equal(await refusedStatus(operation, 8_000_000), 429, id);
    }
  }
});
