// The parts of the form that checks of all types have: schedule, retries, alerting, tags, group and variables.
import type { FormValue } from '#lib/schema/form.ts';
import { useAll } from '../../api/all.ts';
import { useRead } from '../../api/query.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { type Draft, textOf, valueAt } from '../../ui/form/draft.ts';
import { itemsOf, VariableList } from '../../ui/form/pairs.tsx';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { duration } from '../../ui/text/format.ts';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';

interface SectionProps {
  readonly draft: Draft;
  readonly onChange: (path: string, value: FormValue) => void;
}

/** Minutes of `frequency`, and the seconds that `frequency` 0 stands for. */
const [minutes, seconds] = [
  [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440],
  [10, 20, 30],
] as const;

export function Interval({ draft, onChange, shortest }: SectionProps & { readonly shortest: number }) {
  const frequency = Number(draft['frequency'] ?? 10);
  const value = frequency === 0 ? Number(draft['frequencyOffset'] ?? 30) : frequency * 60;
  const choices = [...seconds, ...minutes.map((each) => each * 60)].filter((each) => each >= shortest);
  return (
    <Choice
      label={text.interval}
      value={String(value)}
      options={choices.map((each) => [String(each), duration(each * 1000)])}
      onChange={(chosen) => {
        const every = Number(chosen);
        onChange('frequency', every < 60 ? 0 : every / 60);
        onChange('frequencyOffset', every < 60 ? every : null);
      }}
    />
  );
}

export function Schedule({ draft, onChange }: SectionProps) {
  const { data } = useRead('listLocations');
  const chosen = listOf(draft['locations']);
  return (
    <>
      <fieldset className={parts['checks']}>
        <legend>{text.locations}</legend>
        {(data ?? []).map(({ region: code, name }) => (
          <Flag
            key={code}
            label={name === code ? code : `${name} (${code})`}
            value={chosen.includes(code)}
            onChange={(isChosen) => onChange('locations', toggled(chosen, code, isChosen))}
          />
        ))}
        <span className="quiet">{text.locationsHelp}</span>
      </fieldset>
      <Flag
        label={text.parallel}
        help={text.parallelHelp}
        value={draft['runParallel'] === true}
        onChange={(value) => onChange('runParallel', value)}
      />
    </>
  );
}

const firstRetry = { baseBackoffSeconds: 60, maxRetries: 2, maxDurationSeconds: 600, sameRegion: true };

export function Retries({ draft, onChange }: SectionProps) {
  const strategy = valueAt(draft, 'retryStrategy') as Draft | null | undefined;
  const type = textOf(strategy?.['type'] ?? 'NO_RETRIES');
  const numberField = (name: string, label: string, unit?: string) => (
    <TextInput
      name={`retryStrategy.${name}`}
      label={label}
      isNumber
      value={textOf(strategy?.[name])}
      onChange={(value) => onChange(`retryStrategy.${name}`, value === '' ? null : Number(value))}
      {...(unit !== undefined && { unit })}
    />
  );
  return (
    <>
      <Choice
        label={text.retry}
        value={type}
        options={text.retryTypes}
        onChange={(chosen) =>
          onChange('retryStrategy', chosen === 'NO_RETRIES' ? null : { ...firstRetry, ...strategy, type: chosen })
        }
      />
      {type !== 'NO_RETRIES' && (
        <>
          {numberField('baseBackoffSeconds', text.pause, text.seconds)}
          {type !== 'SINGLE_RETRY' && numberField('maxRetries', text.maxRetries)}
          <Flag
            label={text.sameLocation}
            value={strategy?.['sameRegion'] !== false}
            onChange={(value) => onChange('retryStrategy.sameRegion', value)}
          />
        </>
      )}
    </>
  );
}

export function Alerting({ draft, onChange }: SectionProps) {
  const channels = useAll('listAlertChannels');
  const subscriptions = itemsOf(draft['alertChannelSubscriptions']);
  const isSubscribed = (id: number): boolean =>
    subscriptions.some((each) => each['alertChannelId'] === id && each['activated'] !== false);
  return (
    <>
      <fieldset className={parts['checks']}>
        <legend>{text.channels}</legend>
        {channels.data?.length === 0 && <p className="quiet">{text.noChannels}</p>}
        {(channels.data ?? []).map(({ id }) => (
          <Flag
            key={id}
            label={<ChannelName id={id} />}
            value={isSubscribed(id)}
            onChange={(isChosen) => {
              const others = subscriptions.filter((each) => each['alertChannelId'] !== id);
              onChange(
                'alertChannelSubscriptions',
                isChosen ? [...others, { alertChannelId: id, activated: true }] : others,
              );
            }}
          />
        ))}
        {draft['groupId'] != null && <span className="quiet">{text.ofGroup}</span>}
      </fieldset>
      <AlertRule draft={draft} onChange={onChange} />
      <TextInput
        name="runbookUrl"
        label={text.runbook}
        help={text.runbookHelp}
        placeholder={text.runbookExample}
        value={textOf(draft['runbookUrl'])}
        onChange={(value) => onChange('runbookUrl', value === '' ? null : value)}
      />
      <TextInput
        name="notes"
        label={text.notes}
        help={text.notesHelp}
        lines="text"
        value={textOf(draft['notes'])}
        onChange={(value) => onChange('notes', value === '' ? null : value)}
      />
    </>
  );
}

/** When a failure is alerted, and how often it is repeated. */
function AlertRule({ draft, onChange }: SectionProps) {
  const isOwn = draft['useGlobalAlertSettings'] === false;
  const settings = (isOwn ? (draft['alertSettings'] as Draft | null) : null) ?? {};
  const rule = isOwn ? ruleOf(settings) : '';
  const every = textOf(valueAt(settings, 'reminders.interval'));
  const isRepeated = Number(valueAt(settings, 'reminders.amount') ?? 0) > 0;
  const known = text.reminderRules.some(([value]) => value === every);
  return (
    <>
      <Choice
        label={text.alertRule}
        value={rule}
        options={text.alertRules}
        onChange={(chosen) => {
          onChange('useGlobalAlertSettings', chosen === '');
          if (chosen !== '') onChange('alertSettings', { ...settings, ...escalationOf(chosen) });
        }}
      />
      {isOwn && (
        <Choice
          label={text.reminders}
          value={isRepeated ? every : ''}
          options={
            known || !isRepeated
              ? text.reminderRules
              : [...text.reminderRules, [every, text.remindersOf(Number(every))]]
          }
          onChange={(chosen) =>
            onChange(
              'alertSettings.reminders',
              chosen === '' ? { amount: 0 } : { amount: 100_000, interval: Number(chosen) },
            )
          }
        />
      )}
    </>
  );
}

function ruleOf(settings: Draft): string {
  if (settings['escalationType'] === 'TIME_BASED') {
    return `${textOf(valueAt(settings, 'timeBasedEscalation.minutesFailingThreshold') ?? 5)}m`;
  }
  return textOf(valueAt(settings, 'runBasedEscalation.failedRunThreshold') ?? 1);
}

function escalationOf(rule: string): Draft {
  return rule.endsWith('m')
    ? { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: Number.parseInt(rule, 10) } }
    : { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: Number(rule) } };
}

export function Advanced({ draft, onChange, hasRuntime }: SectionProps & { readonly hasRuntime: boolean }) {
  const groups = useAll('listCheckGroups');
  const runtimes = useRead('listRuntimes');
  const tags = listOf(draft['tags']);
  const group = draft['groupId'];
  return (
    <>
      <TextInput
        name="tags"
        label={text.tags}
        help={text.tagsHelp}
        placeholder={text.tagsExample}
        value={tags.join(', ')}
        onChange={(value) => onChange('tags', value === '' ? [] : value.split(/,\s*/))}
      />
      <Choice
        label={text.group}
        value={typeof group === 'number' ? String(group) : ''}
        options={[['', text.noGroup], ...(groups.data ?? []).map(({ id, name }) => [String(id), name] as const)]}
        onChange={(chosen) => onChange('groupId', chosen === '' ? null : Number(chosen))}
      />
      {hasRuntime && (
        <Choice
          label={text.runtime}
          value={textOf(draft['runtimeId'])}
          options={[['', text.runtimeOf], ...(runtimes.data ?? []).map(({ name }) => [name, name] as const)]}
          onChange={(chosen) => onChange('runtimeId', chosen === '' ? null : chosen)}
        />
      )}
      <TextInput
        name="description"
        label={text.description}
        lines="text"
        value={textOf(draft['description'])}
        onChange={(value) => onChange('description', value === '' ? null : value)}
      />
      <VariableList
        path="environmentVariables"
        label={text.variables}
        value={draft['environmentVariables']}
        onChange={(value) => onChange('environmentVariables', value)}
      />
      <Flag
        label={text.active}
        value={draft['activated'] !== false}
        onChange={(value) => onChange('activated', value)}
      />
    </>
  );
}

function listOf(value: FormValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function toggled(list: readonly string[], item: string, isIn: boolean): readonly string[] {
  return isIn ? [...list, item] : list.filter((each) => each !== item);
}
