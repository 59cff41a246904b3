// The parts of the form that checks of all types have: schedule, retries, alerting, tags, group and variables.
import { useAll } from '../../api/all.ts';
import { AlertSettingsOfCheck } from '../../ui/alert-settings/of-check.tsx';
import { ChannelFields } from '../../ui/check-settings/channels.tsx';
import { DependsOnField } from '../../ui/check-settings/depends-on.tsx';
import { RuntimeField, TagField } from '../../ui/check-settings/labels.tsx';
import { LocationFields } from '../../ui/check-settings/locations.tsx';
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { Choice } from '../../ui/controls/field.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { VariableList } from '../../ui/form/pairs.tsx';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { duration } from '../../ui/text/format.ts';
import { text } from './strings.ts';

/** Minutes of `frequency`, and the seconds that `frequency` 0 stands for. */
const [minutes, seconds] = [
  [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440],
  [10, 20, 30],
] as const;

export function Interval({ draft, onChange, shortest }: FieldsOfDraft & { readonly shortest: number }) {
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

export function Schedule({ draft, onChange }: FieldsOfDraft) {
  return (
    <>
      <LocationFields draft={draft} onChange={onChange} none={text.locationsHelp} />
      <Flag
        label={text.parallel}
        help={text.parallelHelp}
        value={draft['runParallel'] === true}
        onChange={(value) => onChange('runParallel', value)}
      />
    </>
  );
}

/** @param self ID of the edited check; absent = a new one */
export function Alerting({ self, ...fields }: FieldsOfDraft & { readonly self?: string }) {
  const { draft, onChange } = fields;
  return (
    <>
      <ChannelFields {...fields} note={draft['groupId'] == null ? '' : text.ofGroup} />
      <AlertSettingsOfCheck {...fields} />
      <DependsOnField {...fields} {...(self !== undefined && { self })} />
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

export function Advanced({ hasRuntime, ...fields }: FieldsOfDraft & { readonly hasRuntime: boolean }) {
  const { draft, onChange } = fields;
  const groups = useAll('listCheckGroups');
  const group = draft['groupId'];
  return (
    <>
      <TagField {...fields} />
      <Choice
        label={text.group}
        value={typeof group === 'number' ? String(group) : ''}
        options={[['', text.noGroup], ...(groups.data ?? []).map(({ id, name }) => [String(id), name] as const)]}
        onChange={(chosen) => onChange('groupId', chosen === '' ? null : Number(chosen))}
      />
      {hasRuntime && (
        <>
          <RuntimeField {...fields} none={text.runtimeOf} />
          <Flag
            label={text.fallback}
            value={draft['runtimeFallback'] === true}
            onChange={(value) => onChange('runtimeFallback', value)}
          />
        </>
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
