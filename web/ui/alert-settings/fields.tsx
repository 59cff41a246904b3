// The editor of alert settings: when a failure is alerted, how often it is repeated, and how many locations must fail.
import type { FormValue } from '#lib/schema/form.ts';
import { Choice } from '../controls/field.tsx';
import { type Draft, textOf, valueAt } from '../form/draft.ts';
import { text } from './strings.ts';
import { untilRecovery } from './words.ts';
import parts from '../form/form.module.css';

/** @param value what is set; null = nothing, which shows the defaults @param onChange gets the whole settings */
export function AlertSettingsFields({
  value,
  onChange,
}: {
  readonly value: Draft | null;
  readonly onChange: (value: Draft) => void;
}) {
  const settings = value ?? {};
  const amount = Number(valueAt(settings, 'reminders.amount') ?? 0);
  const interval = valueAt(settings, 'reminders.interval') || 5;
  const threshold = valueAt(settings, 'parallelRunFailureThreshold') as Draft | null | undefined;
  const change = (part: Draft): void => onChange({ ...settings, ...part });
  const remind = (next: { readonly amount?: number; readonly interval?: FormValue }): void =>
    change({ reminders: { amount, interval, ...next } });
  return (
    <div className={parts['fields']}>
      <Choice
        label={text.alert}
        value={ruleOf(settings)}
        options={text.rules}
        onChange={(rule) => change(escalationOf(rule))}
      />
      <Choice
        label={text.reminders}
        value={String(amount >= untilRecovery ? untilRecovery : amount)}
        options={text.reminderAmounts}
        onChange={(chosen) => remind({ amount: Number(chosen) })}
      />
      {amount > 0 && (
        <Choice
          label={text.every}
          value={textOf(interval)}
          options={text.intervals}
          onChange={(chosen) => remind({ interval: Number(chosen) })}
        />
      )}
      <Choice
        label={text.locations}
        value={threshold?.['enabled'] === true ? textOf(threshold['percentage'] || 10) : ''}
        options={text.shares}
        onChange={(chosen) =>
          change({
            parallelRunFailureThreshold: {
              enabled: chosen !== '',
              percentage: Number(chosen === '' ? (threshold?.['percentage'] ?? 10) : chosen),
            },
          })
        }
      />
    </div>
  );
}

type Rule = (typeof text.rules)[number][0];

function ruleOf(settings: Draft): Rule {
  if (settings['escalationType'] === 'TIME_BASED') {
    return `${textOf(valueAt(settings, 'timeBasedEscalation.minutesFailingThreshold') || 5)}m` as Rule;
  }
  return textOf(valueAt(settings, 'runBasedEscalation.failedRunThreshold') || 1) as Rule;
}

function escalationOf(rule: Rule): Draft {
  const amount = Number.parseInt(rule, 10);
  return rule.endsWith('m')
    ? { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: amount } }
    : { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: amount } };
}
