// The judge of `npm run chaos -- deliver`: what it would call a broken promise.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { judgeDeliveries, type Ledger } from '../bench/chaos/deliver-judge.ts';
import type { Entry, Tried } from '../bench/chaos/tried.ts';
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
const tried = (change: Partial<Tried> = {}): Tried => ({
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
const exhausted = tried({ id: 'x', channel: 11, status: 'exhausted', attempts: 0, log: [] });
const replay = tried({ id: 'y', channel: 11, replayOf: 'x' });
const [earlier, later] = [
  tried({ check: 'c', attempts: 2, log: [failed, { ...retried, startedAt: 21_050 }] }),
  tried({ id: 'b', check: 'c', log: [entry({ startedAt: 1010 })] }),
];
const [firstCame, retriedCame] = [arrival({ status: 500 }), arrival({ attempt: 2 })];
const laterCame = arrival({ id: 'b', hash: hashOf('b') });
const came = arrival({ id: 'y', replayOf: 'x', hash: hashOf('x') });

const good: Readonly<Record<string, Ledger>> = {
  'a delivery that went well': { deliveries: [tried()], arrivals: [arrival()], cutOff: [] },
  'one that was cut off after it was sent': {
    deliveries: [tried({ log: [cut, entry()] })],
    arrivals: [arrival(), arrival()],
    cutOff,
  },
  'one that was cut off before it was sent': {
    deliveries: [tried({ log: [cut, entry()] })],
    arrivals: [arrival()],
    cutOff,
  },
  'one that was retried in time': {
    deliveries: [tried({ attempts: 2, log: [failed, retried] })],
    arrivals: [arrival({ status: 500 }), arrival({ attempt: 2 })],
    cutOff: [],
  },
  'one that came between the attempts of an earlier one of its check': {
    deliveries: [earlier, later],
    arrivals: [firstCame, laterCame, retriedCame],
    cutOff: [],
  },
  'one of another channel that came before': {
    deliveries: [earlier, { ...later, channel: 2 }],
    arrivals: [laterCame, firstCame, retriedCame],
    cutOff: [],
  },
  'one that was exhausted and replayed': { deliveries: [exhausted, replay], arrivals: [came], cutOff: [] },
};

const bad: Readonly<Record<string, Ledger>> = {
  'is pending': { deliveries: [tried({ status: 'pending' })], arrivals: [arrival()], cutOff: [] },
  'is said to be delivered and was not taken': { deliveries: [tried()], arrivals: [], cutOff: [] },
  'attempt 1 came 2 times, 1 are logged': { deliveries: [tried()], arrivals: [arrival(), arrival()], cutOff: [] },
  'came and is nowhere on record': { deliveries: [tried()], arrivals: [arrival(), arrival({ id: 'b' })], cutOff: [] },
  'another body, signature or origin': { deliveries: [tried()], arrivals: [arrival({ hash: 'other' })], cutOff: [] },
  'came with the timestamps 900, 901': {
    deliveries: [tried({ log: [cut, entry()] })],
    arrivals: [arrival(), arrival({ timestamp: '901' })],
    cutOff,
  },
  'attempt 2 is not logged': { deliveries: [tried()], arrivals: [arrival(), arrival({ attempt: 2 })], cutOff: [] },
  'its attempts are 1,1 on record instead of 1': {
    deliveries: [tried({ log: [entry(), entry()] })],
    arrivals: [arrival()],
    cutOff: [],
  },
  'its log is out of order': {
    deliveries: [tried({ log: [entry(), cut] })],
    arrivals: [arrival(), arrival()],
    cutOff,
  },
  'was answered 500, logged is 200': { deliveries: [tried()], arrivals: [arrival({ status: 500 })], cutOff: [] },
  'was cut off and is not shown so': { deliveries: [tried()], arrivals: [arrival()], cutOff },
  'is shown as interrupted and was not cut off': {
    deliveries: [tried({ log: [cut, entry()] })],
    arrivals: [arrival()],
    cutOff: [],
  },
  'attempt 2 started at 20900, 20000 ms after 1000': {
    deliveries: [tried({ attempts: 2, log: [failed, { ...retried, startedAt: 20_900 }] })],
    arrivals: [arrival({ status: 500 }), arrival({ attempt: 2 })],
    cutOff: [],
  },
  'came before a, which was made before it': {
    deliveries: [earlier, later],
    arrivals: [laterCame, firstCame, retriedCame],
    cutOff: [],
  },
  'attempt 1 began while attempt 1 of a was under way': {
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

function breachesOf(ledger: Ledger): string[] {
  const count = ledger.deliveries.filter(({ status }) => status === 'exhausted').length;
  return judgeDeliveries(ledger, { first: 11, count, each: 1 }).flatMap(({ breaches }) => breaches);
}

describe('of deliveries that were killed on their way', () => {
  for (const [what, ledger] of Object.entries(good)) {
    it(`${what} breaks no promise`, () => assert.deepEqual(breachesOf(ledger), []));
  }
  for (const [why, ledger] of Object.entries(bad)) {
    it(`a promise is broken when one ${why}`, () => {
      const breaches = breachesOf(ledger);
      assert.ok(
        breaches.some((breach) => breach.includes(why)),
        breaches.join('\n'),
      );
    });
  }
});
