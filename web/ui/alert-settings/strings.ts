// Texts of the editor of alert settings.
import { escalationWords } from './words.ts';

/** Values of the rule: a number of runs, or minutes with an `m`. */
const rules = ['1', '2', '3', '4', '5', '5m', '10m', '15m', '30m'] as const;

export const text = {
  alert: 'Alert',
  rules: rules.map((rule) => {
    const amount = Number.parseInt(rule, 10);
    const words = escalationWords(
      rule.endsWith('m')
        ? { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: amount } }
        : { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: amount } },
    );
    return [rule, words.charAt(0).toUpperCase() + words.slice(1)] as const;
  }),
  reminders: 'Reminders',
  reminderAmounts: [
    ['0', 'None'],
    ['1', '1'],
    ['2', '2'],
    ['3', '3'],
    ['4', '4'],
    ['5', '5'],
    ['100000', 'Until recovery'],
  ],
  every: 'Remind every',
  intervals: [1, 2, 3, 4, 5, 10, 15, 30].map((minutes) => [
    String(minutes),
    minutes === 1 ? 'Minute' : `${minutes} minutes`,
  ]) as readonly (readonly [string, string])[],
  locations: 'Several locations at once',
  shares: [
    ['', 'Failing if one of them fails'],
    ...[10, 20, 30, 40, 50, 60, 70, 80, 90].map(
      (share) => [String(share), `Failing if at least ${share}% fail`] as const,
    ),
    ['100', 'Failing if all of them fail'],
  ] as readonly (readonly [string, string])[],
  decidedBy: 'Alert settings',
  inherited: (from: string, words: string) => `Those of ${from}: ${words}`,
  theAccount: 'the account',
  ownOfCheck: 'Own settings of this check',
  ofGroup: 'The group decides:',
  ofChecks: 'Each check decides',
  ofAccountForAll: (words: string) => `Those of the account for all its checks: ${words}`,
  ownOfGroup: 'Own settings for all its checks',
  overrides: 'They override those of the checks.',
  change: 'Change them',
} as const;
