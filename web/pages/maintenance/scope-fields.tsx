// Which checks a window silences, and which it does not run.
import { X } from 'lucide-react';
import { useAll } from '../../api/all.ts';
import { ChosenChecks } from '../../ui/check-settings/depends-on.tsx';
import { type FieldsOfDraft, textsOf } from '../../ui/check-settings/section.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Choice, SearchChoice } from '../../ui/controls/field.tsx';
import { TextInput } from '../../ui/form/text.tsx';
import { modeOf } from './draft.ts';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './maintenance.module.css';

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
          <Groups {...fields} />
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

function Groups({ draft, onChange }: FieldsOfDraft) {
  const { data = [] } = useAll('listCheckGroups');
  const chosen = textsOf(draft['groupIds']);
  const others = data.filter(({ id }) => !chosen.includes(String(id)));
  const nameOf = (id: string): string => data.find((group) => String(group.id) === id)?.name ?? `Group ${id}`;
  if (data.length === 0 && chosen.length === 0) return null;
  return (
    <div className={parts['list']}>
      {chosen.length < maxListed && (
        <SearchChoice
          key={`${data.length} ${chosen.join()}`}
          label={text.pausedGroups}
          help={text.pausedGroupsHelp}
          value=""
          options={others.map(({ id, name }) => [String(id), name] as const)}
          none={text.noGroup}
          onChange={(id) => onChange('groupIds', [...chosen, id])}
        />
      )}
      <ul className={css['names']}>
        {chosen.map((id) => (
          <li key={id}>
            {nameOf(id)}
            <IconButton
              label={text.removeGroup(nameOf(id))}
              onPress={() =>
                onChange(
                  'groupIds',
                  chosen.filter((each) => each !== id),
                )
              }
            >
              <X size={15} />
            </IconButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
