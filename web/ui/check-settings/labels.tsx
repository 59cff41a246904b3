// Tags, and the runtime of scripts, of a check or group.
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
