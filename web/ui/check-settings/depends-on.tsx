// The checks that a check, or all checks of a group, depend on.
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { CheckName } from '../checks/check-name.tsx';
import { Button, IconButton } from '../controls/button.tsx';
import { CheckPicker } from './check-picker.tsx';
import { type FieldsOfDraft, textsOf } from './section.ts';
import parts from '../form/form.module.css';
import css from './check-picker.module.css';

/** Dependencies of a check or group at most. */
const maxDependencies = 10;

/** @param self ID of the edited check, which cannot depend on itself; absent = none */
export function DependsOnField({ draft, onChange, self }: FieldsOfDraft & { readonly self?: string }) {
  const [isPicking, setPicking] = useState(false);
  const ids = textsOf(draft['dependsOn']);
  const isFull = ids.length >= maxDependencies;
  return (
    <fieldset className={parts['list']}>
      <legend>Depends on</legend>
      <span className="quiet">While one of these checks is failing, failures are recorded but not notified.</span>
      <ul className={css['chosen']}>
        {ids.map((id, index) => (
          <li key={id}>
            <CheckName checkId={id} />
            <IconButton
              label={`Remove dependency ${index + 1}`}
              onPress={() =>
                onChange(
                  'dependsOn',
                  ids.filter((each) => each !== id),
                )
              }
            >
              <X size={15} />
            </IconButton>
          </li>
        ))}
      </ul>
      {!isFull && (
        <Button kind="quiet" onPress={() => setPicking(true)}>
          <Plus size={15} aria-hidden /> Add dependency
        </Button>
      )}
      {isPicking && (
        <CheckPicker
          title="Depend on which checks?"
          without={self === undefined ? ids : [...ids, self]}
          max={maxDependencies - ids.length}
          onClose={() => setPicking(false)}
          onChoose={(chosen) => Promise.resolve(onChange('dependsOn', [...ids, ...chosen]))}
        />
      )}
    </fieldset>
  );
}
