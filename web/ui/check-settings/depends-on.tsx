// The checks that a check, or all checks of a group, depend on; and other lists of chosen checks.
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { CheckName } from '../checks/check-name.tsx';
import { Button, IconButton } from '../controls/button.tsx';
import { CheckPicker } from './check-picker.tsx';
import { type FieldsOfDraft, textsOf } from './section.ts';
import parts from '../form/form.module.css';
import css from './check-picker.module.css';

interface ChosenProps extends FieldsOfDraft {
  /** Name of the list in the draft. */
  readonly path: string;
  readonly legend: string;
  readonly help: string;
  readonly add: string;
  /** Title of the dialog. */
  readonly question: string;
  readonly removeLabel: (number: number) => string;
  readonly max: number;
  /** IDs of checks that cannot be chosen. */
  readonly without?: readonly string[];
}

export function ChosenChecks({ draft, onChange, path, max, without = [], ...words }: ChosenProps) {
  const [isPicking, setPicking] = useState(false);
  const ids = textsOf(draft[path]);
  return (
    <fieldset className={parts['list']}>
      <legend>{words.legend}</legend>
      <span className="quiet">{words.help}</span>
      <ul className={css['chosen']}>
        {ids.map((id, index) => (
          <li key={id}>
            <CheckName checkId={id} />
            <IconButton
              label={words.removeLabel(index + 1)}
              onPress={() =>
                onChange(
                  path,
                  ids.filter((each) => each !== id),
                )
              }
            >
              <X size={15} />
            </IconButton>
          </li>
        ))}
      </ul>
      {ids.length < max && (
        <Button kind="quiet" onPress={() => setPicking(true)}>
          <Plus size={15} aria-hidden /> {words.add}
        </Button>
      )}
      {isPicking && (
        <CheckPicker
          title={words.question}
          without={[...ids, ...without]}
          max={max - ids.length}
          onClose={() => setPicking(false)}
          onChoose={(chosen) => Promise.resolve(onChange(path, [...ids, ...chosen]))}
        />
      )}
    </fieldset>
  );
}

/** Dependencies of a check or group at most. */
const maxDependencies = 10;

/** @param self ID of the edited check, which cannot depend on itself; absent = none */
export function DependsOnField({ self, ...fields }: FieldsOfDraft & { readonly self?: string }) {
  return (
    <ChosenChecks
      {...fields}
      path="dependsOn"
      legend="Depends on"
      help="While one of these checks is failing, failures are recorded but not notified."
      add="Add dependency"
      question="Depend on which checks?"
      removeLabel={(number) => `Remove dependency ${number}`}
      max={maxDependencies}
      {...(self !== undefined && { without: [self] })}
    />
  );
}
