// A channel after a row about it was written in the same transaction.
import assert from 'node:assert/strict';
import test from 'node:test';
import { newId } from '#lib/id.ts';
import { idBytes, json } from '../../base/codec.ts';
import type { NotifiedTable } from '../../base/tables/delivery-tables.ts';
import { noticeOfRow } from './held-alerts.ts';
import { listenerAfter, type ListenerRow } from './listener-rows.ts';

const written = (flapping: object): NotifiedTable => ({
  account_id: idBytes(newId()),
  check_id: idBytes(newId()),
  alert_channel_id: 1,
  open: null,
  certificates: null,
  notified_at: null,
  reminders: 0,
  flapping: json(flapping),
  routed_to: null,
  is_grouped: 0,
  delivery_id: null,
  escalates_at: null,
  alert_id: null,
});
const notice = { since: null, collectingId: null, incidentId: 'one' };
const row = (flapping: string | null): ListenerRow => ({ id: 1, open: null, flapping }) as ListenerRow;

test('a message about the end of flapping that was added before in the transaction is superseded by the next alert', () => {
  const end = { ...notice, endedBy: 'new' };
  assert.deepEqual(noticeOfRow(listenerAfter(row(null), written(end))), end);
  assert.deepEqual(noticeOfRow(listenerAfter(row(json({ ...notice, endedBy: 'old' })), written(end))), end);
});

test('one that was sent is not', () => {
  const end = { ...notice, endedBy: 'sent' };
  assert.equal(noticeOfRow(listenerAfter(row(json(end)), written(end))), null);
});
