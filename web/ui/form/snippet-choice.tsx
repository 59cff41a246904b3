// The choice of a snippet of the account.
import type { FormValue } from '#lib/schema/form.ts';
import { useAll } from '../../api/all.ts';
import { Choice } from '../controls/field.tsx';
import { textOf } from './draft.ts';
import css from './form.module.css';

export function SnippetChoice({
  label,
  help,
  value,
  onChange,
}: {
  readonly label: string;
  readonly help: string;
  /** ID of the snippet; null = none. */
  readonly value: FormValue | undefined;
  readonly onChange: (id: number | null) => void;
}) {
  const { data } = useAll('listSnippets');
  const own = (data ?? []).map(({ id, name }) => [String(id), name] as const);
  const chosen = textOf(value);
  const isUnknown = chosen !== '' && own.every(([id]) => id !== chosen);
  return (
    <div className={css['field']}>
      <Choice
        label={label}
        value={chosen}
        options={[['', 'None'], ...own, ...(isUnknown ? [[chosen, `Snippet ${chosen}`] as const] : [])]}
        onChange={(id) => onChange(id === '' ? null : Number(id))}
      />
      <span className={css['help']}>
        {help} {data?.length === 0 && 'There is none yet: add one in the settings, under Snippets.'}
      </span>
    </div>
  );
}
