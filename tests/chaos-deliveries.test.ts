// Violations reported by `npm run chaos -- deliver`.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { judgeDeliveries, type Ledger } from '../bench/chaos/deliver-judge.ts';
import type { Entry, LoggedDelivery } from '../bench/chaos/recorded.ts';
import type { Arrival } from '../bench/peers/attempts-receiver.ts';

const entry = (change: Partial<Entry> = {}): Entry => ({
  number: 1,
  startedAt: 1000,
  durationMs: 10,
  status: 200,
  isInterrupted: false,
  nextAttemptAt: null,
  ...change,
});
const cut = entry({ startedAt: 500, status: null, isInterrupted: true, nextAttemptAt: 900 });
const failed = entry({ status: 500, nextAttemptAt: 21_010 });
const retried = entry({ number: 2, startedAt: 21_020 });
const logged = (change: Partial<LoggedDelivery> = {}): LoggedDelivery => ({
  id: 'a',
  channel: 1,
  check: null,
  status: 'delivered',
  attempts: 1,
  replayOf: null,
  log: [entry()],
  ...change,
});
const hashOf = (id: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ made: id }))
    .digest('base64');
const arrival = (change: Partial<Arrival> = {}): Arrival => ({
  id: 'a',
  attempt: 1,
  timestamp: '900',
  replayOf: null,
  isSigned: true,
  hash: hashOf('a'),
  status: 200,
  ...change,
});
const cutOff = [{ id: 'a', number: 1, startedAt: 500 }];
const exhausted = logged({ id: 'x', channel: 11, status: 'exhausted', attempts: 0, log: [] });
const replay = logged({ id: 'y', channel: 11, replayOf: 'x' });
const [earlier, later] = [
  logged({ check: 'c', attempts: 2, log: [failed, { ...retried, startedAt: 21_050 }] }),
  logged({ id: 'b', check: 'c', log: [entry({ startedAt: 1010 })] }),
];
const [firstCame, retriedCame] = [arrival({ status: 500 }), arrival({ attempt: 2 })];
const laterCame = arrival({ id: 'b', hash: hashOf('b') });
const came = arrival({ id: 'y', replayOf: 'x', hash: hashOf('x') });

const good: Readonly<Record<string, Ledger>> = {
  'a successful delivery': { deliveries: [logged()], arrivals: [arrival()], cutOff: [] },
  'one that was interrupted after it was sent': {
    deliveries: [logged({ log: [cut, entry()] })],
    arrivals: [arrival(), arrival()],
    cutOff,
  },
  'an email that was sent twice after an interruption': {
    deliveries: [logged({ log: [cut, entry({ status: 250 })] })],
    arrivals: [arrival({ status: 250 }), arrival({ status: 250 })],
    cutOff,
  },
  'one that was interrupted before it was sent': {
    deliveries: [logged({ log: [cut, entry()] })],
    arrivals: [arrival()],
    cutOff,
  },
  'one that was retried in time': {
    deliveries: [logged({ attempts: 2, log: [failed, retried] })],
    arrivals: [arrival({ status: 500 }), arrival({ attempt: 2 })],
    cutOff: [],
  },
  'one that arrived between the attempts of an earlier one of its check': {
    deliveries: [earlier, later],
    arrivals: [firstCame, laterCame, retriedCame],
    cutOff: [],
  },
  'an earlier arrival of another channel': {
    deliveries: [earlier, { ...later, channel: 2 }],
    arrivals: [laterCame, firstCame, retriedCame],
    cutOff: [],
  },
  'one that was exhausted and replayed': { deliveries: [exhausted, replay], arrivals: [came], cutOff: [] },
};

const bad: Readonly<Record<string, Ledger>> = {
  'is pending': { deliveries: [logged({ status: 'pending' })], arrivals: [arrival()], cutOff: [] },
  'is recorded as delivered but was not accepted': { deliveries: [logged()], arrivals: [], cutOff: [] },
  'attempt 1 came 2 times, 1 are logged': { deliveries: [logged()], arrivals: [arrival(), arrival()], cutOff: [] },
  'arrived but is not recorded': { deliveries: [logged()], arrivals: [arrival(), arrival({ id: 'b' })], cutOff: [] },
  'another body, signature or origin': { deliveries: [logged()], arrivals: [arrival({ hash: 'other' })], cutOff: [] },
  'arrived with the timestamps 900, 901': {
    deliveries: [logged({ log: [cut, entry()] })],
    arrivals: [arrival(), arrival({ timestamp: '901' })],
    cutOff,
  },
  'attempt 2 is not logged': { deliveries: [logged()], arrivals: [arrival(), arrival({ attempt: 2 })], cutOff: [] },
  'its recorded attempts are 1,1 instead of 1': {
    deliveries: [logged({ log: [entry(), entry()] })],
    arrivals: [arrival()],
    cutOff: [],
  },
  'its log is out of order': {
    deliveries: [logged({ log: [entry(), cut] })],
    arrivals: [arrival(), arrival()],
    cutOff,
  },
  'got status 500, but 200 is logged': { deliveries: [logged()], arrivals: [arrival({ status: 500 })], cutOff: [] },
  'was interrupted but is not shown as such': { deliveries: [logged()], arrivals: [arrival()], cutOff },
  'is shown as interrupted but was not': {
    deliveries: [logged({ log: [cut, entry()] })],
    arrivals: [arrival()],
    cutOff: [],
  },
  'attempt 2 started at 20900, 20000 ms after 1000': {
    deliveries: [logged({ attempts: 2, log: [failed, { ...retried, startedAt: 20_900 }] })],
    arrivals: [arrival({ status: 500 }), arrival({ attempt: 2 })],
    cutOff: [],
  },
  'arrived before a, which is older': {
    deliveries: [earlier, later],
    arrivals: [laterCame, firstCame, retriedCame],
    cutOff: [],
  },
  'attempt 1 began while attempt 1 of a was in progress': {
    deliveries: [earlier, { ...later, log: [entry({ startedAt: 1002 })] }],
    arrivals: [firstCame, laterCame, retriedCame],
    cutOff: [],
  },
  'x was replayed 0 times': { deliveries: [exhausted], arrivals: [], cutOff: [] },
  'x was replayed 2 times': {
    deliveries: [exhausted, replay, { ...replay, id: 'z' }],
    arrivals: [came, { ...came, id: 'z' }],
    cutOff: [],
  },
};

function violationsOf(ledger: Ledger): string[] {
  const count = ledger.deliveries.filter(({ status }) => status === 'exhausted').length;
  return judgeDeliveries(ledger, { first: 11, count, each: 1 }).flatMap(({ violations }) => violations);
}

describe('deliveries interrupted by kills', () => {
  for (const [what, ledger] of Object.entries(good)) {
    it(`${what} is no violation`, () => assert.deepEqual(violationsOf(ledger), []));
  }
  for (const [why, ledger] of Object.entries(bad)) {
    it(`reports: ${why}`, () => {
      const violations = violationsOf(ledger);
      assert.ok(
        violations.some((violation) => violation.includes(why)),
        violations.join('\n'),
      );
    });
  }
});
