// Notices about Tocsin itself, as the operator's channel receives them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { noticeAfterMs, noticesToSend, noticeVariables, type Notice } from './notice-channel.ts';

const now = 10_000_000;
const notice = (id: string, ageMs: number): Notice => ({
  id,
  kind: 'resolver-down',
  since: now - ageMs,
  subject: 'eu-1',
  message: 'The name servers at location eu-1 do not answer.',
  action: 'Fix them.',
});

it('a notice is sent once when it is five minutes old, and its end once', () => {
  const [old, young] = [notice('a', noticeAfterMs), notice('b', noticeAfterMs - 1)];
  assert.deepEqual(noticesToSend([], [old, young], now), { opened: [old], ended: [] });
  assert.deepEqual(noticesToSend([old], [old, young], now), { opened: [], ended: [] });
  assert.deepEqual(noticesToSend([old], [young], now), { opened: [], ended: [old] });
});

it('a notice is a failure that its end closes', () => {
  const { id, kind, since, subject } = notice('resolver-down:eu-1', 600_000);
  const opened = noticeVariables(notice(id, 600_000), 'd', 'https://tocsin.example/notices');
  const ended = noticeVariables({ id, kind, since, subject }, 'e', 'https://tocsin.example/notices');
  const names = ['ALERT_TYPE', 'ALERT_TITLE', 'CHECK_ID', 'CHECK_ERROR_MESSAGE'] as const;
  assert.deepEqual(
    names.map((name) => opened[name]),
    [
      'ALERT_FAILURE',
      'Tocsin: name servers do not answer (eu-1)',
      'tocsin-resolver-down:eu-1',
      'The name servers at location eu-1 do not answer. Fix them.',
    ],
  );
  assert.deepEqual(
    names.map((name) => ended[name]),
    ['ALERT_RECOVERY', 'Tocsin: name servers do not answer (eu-1) – resolved', 'tocsin-resolver-down:eu-1', undefined],
  );
});
