// Which checks a window silences, and which it does not run.
import { ChosenGroups } from '../../ui/check-settings/chosen-groups.tsx';
import { ChosenChecks } from '../../ui/check-settings/depends-on.tsx';
import { type FieldsOfDraft, textsOf } from '../../ui/check-settings/section.ts';
import { Choice } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/form/text.tsx';
import { modeOf } from './draft.ts';
import { text } from './strings.ts';

/** Checks and groups of a window at most, each. */
const maxListed = 200;

export function ScopeFields(fields: FieldsOfDraft) {
  const { draft, onChange } = fields;
  const [alerts, runs] = [modeOf(draft, 'alerts'), modeOf(draft, 'runs')];
  return (
    <>
      <Choice
        label={text.alerts}
        value={alerts}
        options={text.alertModes}
        onChange={(chosen) => onChange('alerts', chosen)}
      />
      {alerts === 'some' && <Tags {...fields} path="silenceAlertsTags" label={text.silencedTags} />}
      <Choice label={text.runs} value={runs} options={text.runModes} onChange={(chosen) => onChange('runs', chosen)} />
      {runs === 'some' && (
        <>
          <Tags {...fields} path="tags" label={text.pausedTags} />
          <ChosenGroups
            {...fields}
            label={text.pausedGroups}
            help={text.pausedGroupsHelp}
            none={text.noGroup}
            removeLabel={text.removeGroup}
            max={maxListed}
          />
          <ChosenChecks
            {...fields}
            path="checkIds"
            legend={text.pausedChecks}
            help={text.pausedChecksHelp}
            add={text.addChecks}
            question={text.addChecksTitle}
            removeLabel={text.removeCheck}
            max={maxListed}
          />
        </>
      )}
    </>
  );
}

function Tags({
  draft,
  onChange,
  path,
  label,
}: FieldsOfDraft & { readonly path: 'tags' | 'silenceAlertsTags'; readonly label: string }) {
  return (
    <TextInput
      name={path}
      label={label}
      help={text.tagsHelp}
      placeholder={text.tagsExample}
      value={textsOf(draft[path]).join(', ')}
      onChange={(value) => onChange(path, value === '' ? [] : value.split(/,\s*/))}
    />
  );
}
