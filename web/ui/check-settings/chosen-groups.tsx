// A list of chosen check groups in a form.
import { X } from 'lucide-react';
import { useAll } from '../../api/all.ts';
import { IconButton } from '../controls/button.tsx';
import { SearchChoice } from '../controls/field.tsx';
import { type FieldsOfDraft, textsOf } from './section.ts';
import parts from '../form/form.module.css';
import css from './check-picker.module.css';

interface ChosenProps extends FieldsOfDraft {
  readonly label: string;
  readonly help: string;
  /** Shown if no other group has the typed name. */
  readonly none: string;
  readonly removeLabel: (name: string) => string;
  readonly max: number;
}

/** `groupIds` of a draft, as texts. Nothing if the account has no group. */
export function ChosenGroups({ draft, onChange, label, help, none, removeLabel, max }: ChosenProps) {
  const { data = [] } = useAll('listCheckGroups');
  const chosen = textsOf(draft['groupIds']);
  const others = data.filter(({ id }) => !chosen.includes(String(id)));
  const nameOf = (id: string): string => data.find((group) => String(group.id) === id)?.name ?? `Group ${id}`;
  if (data.length === 0 && chosen.length === 0) return null;
  return (
    <div className={parts['list']}>
      {chosen.length < max && (
        <SearchChoice
          key={`${data.length} ${chosen.join()}`}
          label={label}
          help={help}
          value=""
          options={others.map(({ id, name }) => [String(id), name] as const)}
          none={none}
          onChange={(id) => onChange('groupIds', [...chosen, id])}
        />
      )}
      <ul className={css['chosen']}>
        {chosen.map((id) => (
          <li key={id}>
            {nameOf(id)}
            <IconButton
              label={removeLabel(nameOf(id))}
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
