// Whose alert settings decide over a check: its own, its group's or its account's (reference §3, §4.5).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aCheck, aGroup, aWindow } from '../../../tests/support/store/records.ts';
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { CheckGroup } from './check-group.ts';
import type { StateRules } from './check-state.ts';
import type { Check } from './check.ts';
import { noMaintenance } from './maintenance-window.ts';
import type { CheckContext } from '../results/recording.ts';
import { maintenanceOf, pausedIn, stateRulesOf } from './state-rules.ts';

const accountId = '0198a000-0000-7000-8000-000000000001';

/** Settings, and the rules that follow from them; each level has others. */
interface Level {
  readonly settings: AlertSettings;
  readonly rules: Pick<StateRules, 'escalation' | 'reminders'> & { readonly failingShare: number | null };
}

const ofCheck: Level = {
  settings: {
    escalationType: 'RUN_BASED',
    runBasedEscalation: { failedRunThreshold: 4 },
    reminders: { amount: 100_000, interval: 1 },
    parallelRunFailureThreshold: { enabled: true, percentage: 40 },
  },
  rules: {
    escalation: { type: 'RUN_BASED', runs: 4 },
    reminders: { amount: Infinity, intervalMs: 60_000 },
    failingShare: 0.4,
  },
};
const ofGroup: Level = {
  settings: {
    escalationType: 'RUN_BASED',
    runBasedEscalation: { failedRunThreshold: 3 },
    reminders: { amount: 3, interval: 15 },
    parallelRunFailureThreshold: { enabled: true, percentage: 30 },
  },
  rules: {
    escalation: { type: 'RUN_BASED', runs: 3 },
    reminders: { amount: 3, intervalMs: 900_000 },
    failingShare: 0.3,
  },
};
const ofAccount: Level = {
  settings: {
    escalationType: 'TIME_BASED',
    timeBasedEscalation: { minutesFailingThreshold: 30 },
    reminders: { amount: 2, interval: 30 },
    parallelRunFailureThreshold: { enabled: true, percentage: 80 },
  },
  rules: {
    escalation: { type: 'TIME_BASED', ms: 1_800_000 },
    reminders: { amount: 2, intervalMs: 1_800_000 },
    failingShare: 0.8,
  },
};
const nobodys: Level['rules'] = {
  escalation: { type: 'RUN_BASED', runs: 1 },
  reminders: null,
  failingShare: null,
};

const own = { useGlobalAlertSettings: false, alertSettings: ofCheck.settings } as const;
const grouped = { useGlobalAlertSettings: false, alertSettings: ofGroup.settings } as const;

function contextOf(check: Check, group: CheckGroup | null): CheckContext {
  return {
    check,
    group,
    variables: [],
    accountAlertSettings: null,
    accountRuntimeId: null,
    maintenanceWindows: [],
    revision: 1,
  };
}

/** What a check in two locations at once alerts by. */
function rulesOf(check: Partial<Check>, group: Partial<CheckGroup> | null, account: AlertSettings | null): object {
  const { escalation, reminders, parallel } = stateRulesOf(
    {
      ...contextOf(
        aCheck(accountId, { runParallel: true, locations: ['here', 'there'], ...check }),
        group === null ? null : aGroup(accountId, group),
      ),
      accountAlertSettings: account,
    },
    ['here', 'there', 'nowhere'],
    noMaintenance,
  );
  assert.deepEqual(parallel?.locations, ['here', 'there']);
  return { escalation, reminders, failingShare: parallel.failingShare };
}

describe('a check alerts', () => {
  const asked = ofAccount.settings;
  const rows: readonly [string, Partial<Check>, Partial<CheckGroup> | null, AlertSettings | null, Level['rules']][] = [
    ['at once and once, where nobody has set anything', {}, {}, null, nobodys],
    ['as its account says, where neither it nor its group says otherwise', {}, {}, asked, ofAccount.rules],
    ['as its account says, without a group', {}, null, asked, ofAccount.rules],
    [
      'as its account says, where it keeps settings of its own and does not use them',
      { ...own, useGlobalAlertSettings: true },
      null,
      asked,
      ofAccount.rules,
    ],
    [
      'as its account says, where it would use its own and has none',
      { ...own, alertSettings: null },
      null,
      asked,
      ofAccount.rules,
    ],
    ['as its group says, before its account', {}, grouped, asked, ofGroup.rules],
    ['as its group says, before itself', own, grouped, asked, ofGroup.rules],
    [
      'as its account says, where its group says so, before itself',
      own,
      { useGlobalAlertSettings: true },
      asked,
      ofAccount.rules,
    ],
    ['as it says itself, before its account', own, null, asked, ofCheck.rules],
    ['as it says itself, where its group leaves that open', own, {}, asked, ofCheck.rules],
    [
      'as it says itself, where its group has settings and does not use them',
      own,
      { alertSettings: ofGroup.settings },
      asked,
      ofCheck.rules,
    ],
    [
      'as it says itself, where its group has none to use',
      own,
      { useGlobalAlertSettings: false },
      asked,
      ofCheck.rules,
    ],
  ];
  for (const [what, check, group, account, expected] of rows) {
    it(what, () => assert.deepEqual(rulesOf(check, group, account), expected));
  }

  it('by the escalation of its account where its own settings name none, and by nothing else of it', () => {
    assert.deepEqual(rulesOf({ ...own, alertSettings: { reminders: { amount: 1, interval: 10 } } }, null, asked), {
      escalation: ofAccount.rules.escalation,
      reminders: { amount: 1, intervalMs: 600_000 },
      failingShare: null,
    });
  });
});

it('a location that is named twice answers once', () => {
  assert.deepEqual(rulesOf({ locations: ['here', 'there', 'here'] }, null, null), nobodys);
});

describe('a window says for a check what it says for its group', () => {
  const at = Date.parse('2026-03-10T22:30:00Z');
  const span = { from: at - 1_800_000, to: at + 1_800_000 };
  const group = aGroup(accountId, { tags: ['shop'] });
  for (const [what, window, expected, pause] of [
    ['that it pauses', { tags: ['shop'] }, { isPaused: true, isSilenced: true }, span],
    ['whom it silences', { silenceAlertsTags: ['shop'] }, { isPaused: false, isSilenced: true }, null],
    ['nothing, by the tag of another', { tags: ['shops'] }, noMaintenance, null],
  ] as const) {
    it(what, () => {
      const maintenanceWindows = [aWindow(accountId, { startsAt: span.from, endsAt: span.to, ...window })];
      const context = { ...contextOf(aCheck(accountId), group), maintenanceWindows };
      assert.deepEqual(maintenanceOf(context, at), expected);
      assert.deepEqual(pausedIn(context, { from: at, to: at + 1 }), pause);
    });
  }
});

describe('the share of locations that must fail', () => {
  for (const [what, threshold, share] of [
    ['is the percentage', { enabled: true, percentage: 60 }, 0.6],
    ['is a tenth where no percentage is set', { enabled: true }, 0.1],
    ['is a tenth where the percentage is zero, which is not set', { enabled: true, percentage: 0 }, 0.1],
    ['is none unless it is switched on', { percentage: 60 }, null],
    ['is none where it is switched off', { enabled: false, percentage: 60 }, null],
  ] as const) {
    it(what, () => {
      const rules = rulesOf({}, null, { parallelRunFailureThreshold: threshold });
      assert.deepEqual(rules, { ...nobodys, failingShare: share });
    });
  }
});

it('a mute until an instant silences up to it, by the check or its group, and pauses nothing', () => {
  const until = (check: number | null, group: number | null, now: number) =>
    maintenanceOf(contextOf(aCheck(accountId, { mutedUntil: check }), aGroup(accountId, { mutedUntil: group })), now);
  const silenced = { isPaused: false, isSilenced: true };
  assert.deepEqual([until(1000, null, 999), until(1000, null, 1000)], [silenced, noMaintenance]);
  assert.deepEqual([until(1000, 2000, 1999), until(null, null, 0)], [silenced, noMaintenance]);
});
