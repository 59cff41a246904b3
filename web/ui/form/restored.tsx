// Says that a form shows what a person entered before, with a way back.
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import css from './form.module.css';

/** @param isNew nothing is saved yet @param onReset forgets what was entered */
export function Restored({
  isChanged,
  isNew,
  onReset,
}: {
  readonly isChanged: boolean;
  readonly isNew: boolean;
  readonly onReset: () => void;
}) {
  // What is entered from now on is no surprise.
  const [wasRestored] = useState(isChanged);
  if (!wasRestored || !isChanged) return null;
  return (
    <p className={css['restored']}>
      This is what you entered before.{' '}
      <Button kind="quiet" onPress={onReset}>
        {isNew ? 'Start over' : 'Back to what is saved'}
      </Button>
    </p>
  );
}
