// Effective alert settings of a check: its own, its group's or its account's (reference §3, §4.5).
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

/** Settings and the resulting rules; each level has different ones. */
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
const defaultRules: Level['rules'] = {
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
    accountTimeZone: null,
    maintenanceWindows: [],
    revision: 1,
  };
}

/** Effective rules of a check in two parallel locations. */
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
    ['at once and once by default', {}, {}, null, defaultRules],
    ['like its account if neither the check nor its group has settings', {}, {}, asked, ofAccount.rules],
    ['like its account, without a group', {}, null, asked, ofAccount.rules],
    [
      'like its account if the check does not use its own settings',
      { ...own, useGlobalAlertSettings: true },
      null,
      asked,
      ofAccount.rules,
    ],
    [
      'like its account if the check would use its own settings but has none',
      { ...own, alertSettings: null },
      null,
      asked,
      ofAccount.rules,
    ],
    ['like its group, which overrides the account', {}, grouped, asked, ofGroup.rules],
    ['like its group, which overrides the check', own, grouped, asked, ofGroup.rules],
    [
      "like its account if its group uses the account's settings, which override the check",
      own,
      { useGlobalAlertSettings: true },
      asked,
      ofAccount.rules,
    ],
    ['by its own settings, which override the account', own, null, asked, ofCheck.rules],
    ['by its own settings if its group sets nothing', own, {}, asked, ofCheck.rules],
    [
      'by its own settings if its group does not use those of the group',
      own,
      { alertSettings: ofGroup.settings },
      asked,
      ofCheck.rules,
    ],
    ['by its own settings if its group has none to use', own, { useGlobalAlertSettings: false }, asked, ofCheck.rules],
  ];
  for (const [what, check, group, account, expected] of rows) {
    it(what, () => assert.deepEqual(rulesOf(check, group, account), expected));
  }

  it("by its account's escalation if its own settings have none, and by no other setting of the account", () => {
    assert.deepEqual(rulesOf({ ...own, alertSettings: { reminders: { amount: 1, interval: 10 } } }, null, asked), {
      escalation: ofAccount.rules.escalation,
      reminders: { amount: 1, intervalMs: 600_000 },
      failingShare: null,
    });
  });
});

it('a location that is listed twice counts once', () => {
  assert.deepEqual(rulesOf({ locations: ['here', 'there', 'here'] }, null, null), defaultRules);
});

describe('a window has the same effect on a check and on its group', () => {
  const at = Date.parse('2026-03-10T22:30:00Z');
  const span = { from: at - 1_800_000, to: at + 1_800_000 };
  const group = aGroup(accountId, { tags: ['shop'] });
  for (const [what, window, expected, pause] of [
    ['by pausing', { tags: ['shop'] }, { isPaused: true, isSilenced: true }, span],
    ['by silencing', { silenceAlertsTags: ['shop'] }, { isPaused: false, isSilenced: true }, null],
    ['not at all, with another tag', { tags: ['shops'] }, noMaintenance, null],
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
    ['is a tenth if no percentage is set', { enabled: true }, 0.1],
    ['is a tenth if the percentage is zero, which means not set', { enabled: true, percentage: 0 }, 0.1],
    ['is none unless it is enabled', { percentage: 60 }, null],
    ['is none if it is disabled', { enabled: false, percentage: 60 }, null],
  ] as const) {
    it(what, () => {
      const rules = rulesOf({}, null, { parallelRunFailureThreshold: threshold });
      assert.deepEqual(rules, { ...defaultRules, failingShare: share });
    });
  }
});

it('a mute of the check or its group silences until it ends, and pauses nothing', () => {
  const until = (check: number | null, group: number | null, now: number) =>
    maintenanceOf(contextOf(aCheck(accountId, { mutedUntil: check }), aGroup(accountId, { mutedUntil: group })), now);
  const silenced = { isPaused: false, isSilenced: true };
  assert.deepEqual([until(1000, null, 999), until(1000, null, 1000)], [silenced, noMaintenance]);
  assert.deepEqual([until(1000, 2000, 1999), until(null, null, 0)], [silenced, noMaintenance]);
});
