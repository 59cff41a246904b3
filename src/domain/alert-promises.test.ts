// Every short history of a check: the promises of alerting hold in all. `npm run sim -- states` goes further.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelsInModel, type Escalations, exploreHistories, minute } from '../../tests/support/alert-model.ts';
import { exploreEdits, exploreOrders, type LocationCase } from '../../tests/support/location-model.ts';

describe('in every history of a check, at every combination of switches, what opened closes and nothing is invented', () => {
  const rows: readonly Escalations[] = [
    [
      { type: 'RUN_BASED', runs: 1 },
      { type: 'TIME_BASED', ms: 2 * minute },
    ],
    [
      { type: 'RUN_BASED', runs: 2 },
      { type: 'RUN_BASED', runs: 1 },
    ],
    [
      { type: 'TIME_BASED', ms: 2 * minute },
      { type: 'RUN_BASED', runs: 3 },
    ],
  ];
  for (const escalations of rows) {
    it(`up to 7 results, mutes, windows, edits and deletions, alerting by ${JSON.stringify(escalations)}`, (t) => {
      const { sequences, situations } = exploreHistories(7, escalations);
      t.diagnostic(`${sequences} sequences through ${situations} situations at ${channelsInModel} channels`);
      assert.equal(sequences, 12_222_221);
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

it('a whole round says where a check stands, whatever ran where before it was edited', () => {
  assert.equal(exploreEdits(3), 24 + 24 ** 2 + 24 ** 3);
});
