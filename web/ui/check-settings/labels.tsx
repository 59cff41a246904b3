// Tags, the group, and the runtime of scripts, of a check or group.
import { useAll } from '../../api/all.ts';
import { useRead } from '../../api/query.ts';
import { Choice } from '../controls/field.tsx';
import { textOf } from '../form/draft.ts';
import { TextInput } from '../form/text.tsx';
import { type FieldsOfDraft, textsOf } from './section.ts';
import { text } from './strings.ts';

/** @param help what else to know */
export function TagField({ draft, onChange, help }: FieldsOfDraft & { readonly help?: string }) {
  return (
    <TextInput
      name="tags"
      label={text.tags}
      help={help === undefined ? text.tagsHelp : `${text.tagsHelp} ${help}`}
      placeholder={text.tagsExample}
      value={textsOf(draft['tags']).join(', ')}
      onChange={(value) => onChange('tags', value === '' ? [] : value.split(/,\s*/))}
    />
  );
}

/** @param isLabelHidden something else names it */
export function GroupField({
  draft,
  onChange,
  isLabelHidden = false,
}: FieldsOfDraft & { readonly isLabelHidden?: boolean }) {
  const groups = useAll('listCheckGroups');
  const group = draft['groupId'];
  return (
    <Choice
      label={text.group}
      isLabelHidden={isLabelHidden}
      value={typeof group === 'number' ? String(group) : ''}
      options={[['', text.noGroup], ...(groups.data ?? []).map(({ id, name }) => [String(id), name] as const)]}
      onChange={(chosen) => onChange('groupId', chosen === '' ? null : Number(chosen))}
    />
  );
}

/** @param none what no runtime means */
export function RuntimeField({ draft, onChange, none }: FieldsOfDraft & { readonly none: string }) {
  const runtimes = useRead('listRuntimes');
  return (
    <Choice
      label={text.runtime}
      value={textOf(draft['runtimeId'])}
      options={[['', none], ...(runtimes.data ?? []).map(({ name }) => [name, name] as const)]}
      onChange={(chosen) => onChange('runtimeId', chosen === '' ? null : chosen)}
    />
  );
}
