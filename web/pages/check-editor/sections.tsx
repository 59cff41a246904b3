// The parts of the form that checks of all types have: alerting, tags, group and variables.
import { AlertSettingsOfCheck } from '../../ui/alert-settings/of-check.tsx';
import { ChannelFields } from '../../ui/check-settings/channels.tsx';
import { DependsOnField } from '../../ui/check-settings/depends-on.tsx';
import { GroupField, RuntimeField, TagField } from '../../ui/check-settings/labels.tsx';
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { TriggerIncidentFields } from '../../ui/check-settings/trigger-incident.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { VariableList } from '../../ui/form/pairs.tsx';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { text } from './strings.ts';

/** What is notified besides the chosen channels. */
function channelsNote(isInGroup: boolean, isNew: boolean): string {
  return [isNew && text.ofNew, isInGroup && text.ofGroup].filter(Boolean).join(' ');
}

/** @param self ID of the edited check; absent = a new one */
export function Alerting({ self, ...fields }: FieldsOfDraft & { readonly self?: string }) {
  const { draft, onChange } = fields;
  return (
    <>
      <ChannelFields {...fields} note={channelsNote(draft['groupId'] != null, self === undefined)} />
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
      <TriggerIncidentFields {...fields} />
    </>
  );
}

export function Advanced({ hasRuntime, ...fields }: FieldsOfDraft & { readonly hasRuntime: boolean }) {
  const { draft, onChange } = fields;
  return (
    <>
      <TagField {...fields} />
      <GroupField {...fields} />
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
