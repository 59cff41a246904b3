// Every short history of a check: the promises of alerting hold in all. `npm run sim -- states` goes further.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelsInModel, exploreHistories, minute } from '../../tests/support/alert-model.ts';
import { exploreOrders, type LocationCase } from '../../tests/support/location-model.ts';
import type { Escalation } from './alert-settings.ts';

describe('in every history of a check, at every combination of switches, what opened closes and nothing is invented', () => {
  const rows: readonly [Escalation, depth: number, sequences: number][] = [
    [{ type: 'RUN_BASED', runs: 1 }, 7, 335_922],
    [{ type: 'RUN_BASED', runs: 2 }, 6, 55_986],
    [{ type: 'TIME_BASED', ms: 2 * minute }, 6, 55_986],
  ];
  for (const [escalation, depth, sequences] of rows) {
    it(`up to ${depth} results and mutes, alerting by ${JSON.stringify(escalation)}`, (t) => {
      const explored = exploreHistories(depth, escalation);
      t.diagnostic(`${explored} sequences at ${channelsInModel} channels`);
      assert.equal(explored, sequences);
    });
  }
});

describe('what a round of several locations comes to is the same in whatever order they answer', () => {
  const rows: readonly [LocationCase, histories: number][] = [
    [{ locations: 2, rounds: 4, failingShare: null, runs: 1 }, 32_852],
    [{ locations: 2, rounds: 4, failingShare: 1, runs: 2 }, 32_852],
    [{ locations: 3, rounds: 2, failingShare: 0.6, runs: 1 }, 13_566],
  ];
  for (const [given, histories] of rows) {
    it(JSON.stringify(given), () => assert.equal(exploreOrders(given), histories));
  }
});
