// Environment variables of the account. Secrets are written, and never shown.
import type { AnswerOf } from '#contract/operations.ts';
import { useMore } from '../../api/query.ts';
import { textOf } from '../../ui/form/draft.ts';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { ResourcePage, type ResourceSort } from '../../ui/resources/resource-page.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './variables.module.css';

type Variable = AnswerOf<'listVariables'>[number];

const variables: ResourceSort<Variable> = {
  type: 'variable',
  operations: { uses: 'getVariableUses', create: 'createVariable', update: 'updateVariable', remove: 'deleteVariable' },
  refreshes: ['listVariables', 'listNotices'],
  words: text,
  id: 'key',
  name: 'key',
  columns: [
    { id: 'name', title: text.columns.name, isName: true, cell: ({ key }) => <code>{key}</code> },
    { id: 'value', title: text.columns.value, cell: shownValue },
  ],
  isKeptWhileUsed: false,
  startOf: (row) => ({ key: row?.key ?? '', value: row?.value ?? '', secret: row?.secret ?? false }),
  Fields: ({ draft, onChange, row }) => (
    <div className={parts['short']}>
      {row === null && (
        <TextInput
          name="key"
          label={text.name}
          placeholder={text.nameExample}
          value={textOf(draft['key'])}
          onChange={(value) => onChange('key', value)}
          isRequired
        />
      )}
      <TextInput
        name="value"
        label={text.value}
        value={textOf(draft['value'])}
        onChange={(value) => onChange('value', value)}
        type={draft['secret'] === true ? 'password' : 'text'}
        {...(row !== null && { help: text.changeHelp })}
      />
      {row === null && (
        <Flag
          label={text.isSecret}
          help={text.secretHelp}
          value={draft['secret'] === true}
          onChange={(value) => onChange('secret', value)}
        />
      )}
    </div>
  ),
  bodyOf: (draft, isNew) => (isNew ? draft : { value: draft['value'] ?? '' }),
};

export function VariablesPage() {
  const list = useMore('listVariables');
  return <ResourcePage sort={variables} list={{ ...list, more: list }} />;
}

function shownValue({ value, secret, locked }: Variable) {
  if (secret) return <span className="quiet">{text.secret}</span>;
  return (
    <>
      <code className={css['value']}>{value}</code>
      {locked && <span className="quiet"> {text.hidden}</span>}
    </>
  );
}
