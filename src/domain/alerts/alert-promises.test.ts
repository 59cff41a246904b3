// Explores every short history of a check and verifies the alerting guarantees. `npm run sim -- states` goes deeper.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  afterMinutes,
  afterRuns,
  channelSwitches,
  edits,
  type Family,
  longGaps,
  remindersUntilRecovery,
  retries,
} from '../../../tests/support/models/alert-families.ts';
import { channelsInModel, exploreHistories } from '../../../tests/support/models/alert-model.ts';
import { exploreCertificates } from '../../../tests/support/models/certificate-model.ts';
import { exploreFlapping } from '../../../tests/support/models/flapping-model.ts';
import { exploreEdits } from '../../../tests/support/models/location-edits.ts';
import { exploreLateAnswers, type LateCase } from '../../../tests/support/models/late-answers.ts';
import { exploreOrders, type LocationCase } from '../../../tests/support/models/location-model.ts';

describe('in every history of a check, with every combination of switches, each alert is resolved and none is spurious', () => {
  const rows: readonly [depth: number, Family, sequences: number][] = [
    [7, edits([afterRuns(1), afterMinutes(2)]), 12_222_221],
    [6, edits([afterRuns(2), afterRuns(1)]), 1_222_221],
    [6, edits([afterMinutes(2), afterRuns(3)]), 1_222_221],
    [5, channelSwitches([afterRuns(1), afterMinutes(2)]), 42_129],
    [6, remindersUntilRecovery([afterRuns(1), afterRuns(2)]), 337_041],
    [5, retries([afterRuns(2), afterMinutes(2)], 1, false), 22_408],
    [6, retries([afterRuns(1), afterRuns(2)], 2, true), 156_864],
    [5, longGaps([afterMinutes(2), afterRuns(2)]), 73_810],
  ];
  for (const [depth, family, expected] of rows) {
    const [first, second] = family.escalations.map((escalation) => JSON.stringify(escalation));
    it(`up to ${depth} moves: ${family.name}, alerting by ${first}, then by ${second}`, (t) => {
      const { sequences, situations } = exploreHistories(depth, family);
      t.diagnostic(`${sequences} sequences through ${situations} situations at ${channelsInModel} channels`);
      assert.equal(sequences, expected);
    });
  }
});

describe('in every history of the certificates of a check, each is reported once per step, whatever the check does', () => {
  const rows = [
    ['edits of channels', 5, 42_129],
    ['alternating certificates', 5, 73_810],
  ] as const;
  for (const [family, depth, expected] of rows) {
    it(`up to ${depth} moves: ${family}`, () => {
      assert.equal(exploreCertificates(depth, family).sequences, expected);
    });
  }
});

describe('the outcome of a round in several locations does not depend on the order of the results', () => {
  const two = { locations: 2, rounds: 4, retry: null, isTriggered: false } as const;
  const rows: readonly [LocationCase, histories: number][] = [
    [{ ...two, rounds: 3, failingShare: null, escalation: afterRuns(1), hiding: 'mute' }, 27_016],
    [{ ...two, failingShare: 1, escalation: afterRuns(2), hiding: 'window' }, 495_528],
    [{ ...two, failingShare: null, escalation: afterMinutes(2), hiding: 'window' }, 495_528],
    [{ ...two, locations: 3, rounds: 2, failingShare: 0.6, escalation: afterRuns(1), hiding: null }, 13_566],
    [{ ...two, failingShare: 1, escalation: afterMinutes(2), retry: 'elsewhere', hiding: 'mute' }, 3_840_220],
    [{ ...two, rounds: 3, failingShare: null, escalation: afterRuns(2), retry: 'there', hiding: null }, 15_382],
    [{ ...two, rounds: 3, failingShare: 1, escalation: afterRuns(2), isTriggered: true, hiding: 'mute' }, 210_336],
    [{ ...two, rounds: 3, failingShare: null, escalation: afterRuns(2), isTriggered: true, hiding: null }, 27_016],
  ];
  for (const [given, histories] of rows) {
    it(JSON.stringify(given), () => assert.equal(exploreOrders(given).sequences, histories));
  }
});

describe('a result that arrives after the next round has begun loses no alert and repeats none', () => {
  const rows: readonly [depth: number, LateCase, sequences: number][] = [
    [6, { locations: 2, failingShare: null, escalation: afterRuns(1), behind: 2 }, 492_910],
    [6, { locations: 2, failingShare: 1, escalation: afterRuns(2), behind: 1 }, 356_846],
    [4, { locations: 3, failingShare: 0.6, escalation: afterRuns(1), behind: 1 }, 23_068],
  ];
  for (const [depth, given, sequences] of rows) {
    it(JSON.stringify(given), () => assert.equal(exploreLateAnswers(depth, given).sequences, sequences));
  }
});

it('a complete round determines the state of a check, whatever ran where before an edit', () => {
  assert.equal(exploreEdits(3), 24 + 24 ** 2 + 24 ** 3);
});

it('reports no failure that lasts longer than those before late while a check flaps, and no change after ten minutes', () => {
  assert.equal(exploreFlapping(6).sequences, 137_256);
});
