// The frame of a form that saves a record: what was restored, what is wrong, what somebody else changed, and the buttons.
import { type FormEvent, type ReactNode, useMemo } from 'react';
import { Form } from 'react-aria-components';
import type { FormField } from '#lib/schema/form.ts';
import { Button } from '../controls/button.tsx';
import { type Managed, ManagedBy } from '../layout/managed-by.tsx';
import { ChangedMeanwhile, isChangedMeanwhile, type useConflicts } from './changed-meanwhile.tsx';
import type { Kept } from './draft.ts';
import { FaultList, faultsOf } from './faults.tsx';
import { Restored } from './restored.tsx';
import { type Faults, FaultsContext } from './text.tsx';
import css from './form.module.css';

interface EditorFormProps {
  readonly className: string | undefined;
  readonly kept: Kept;
  /** Nothing is saved yet. */
  readonly isNew: boolean;
  readonly save: () => Promise<void>;
  /** Why the last save failed. */
  readonly error: unknown;
  /** Why something else failed that sends the form; its faults are shown beside the fields, too. */
  readonly otherError?: unknown;
  readonly isDisabled: boolean;
  readonly submit: string;
  /** Buttons beside the one that saves. */
  readonly actions?: ReactNode;
  /** What somebody else changed, and the fields that name it; absent = nobody else changes such records. */
  readonly conflicts?: ReturnType<typeof useConflicts>['conflicts'];
  readonly conflictFields?: readonly Pick<FormField, 'path' | 'label'>[];
  /** The stored record; absent = it is new, or no project can own it. */
  readonly managed?: Managed | undefined;
  readonly children: (faults: Faults) => ReactNode;
}

export function EditorForm({ kept, isNew, save, error, otherError = null, children, ...props }: EditorFormProps) {
  const { conflicts = [], conflictFields = [] } = props;
  const failed = error ?? otherError;
  const faults = useMemo(() => faultsOf(failed), [failed]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The error is shown beside the fields.
    void save().catch(() => undefined);
  };
  return (
    <Form className={props.className ?? ''} validationBehavior="aria" onSubmit={submit}>
      <FaultsContext value={faults}>
        {props.managed !== undefined && <ManagedBy {...props.managed} isEdited />}
        <Restored isChanged={kept.isChanged} isNew={isNew} onReset={kept.reset} />
        {children(faults)}
        <ChangedMeanwhile conflicts={conflicts} fields={conflictFields} draft={kept.draft} onChange={kept.change} />
        {!isChangedMeanwhile(error) && <FaultList error={error} faults={faults} />}
        <div className={css['actions']}>
          <Button type="submit" kind="primary" isDisabled={props.isDisabled}>
            {props.submit}
          </Button>
          {props.actions}
        </div>
      </FaultsContext>
    </Form>
  );
}

/** Leaves the form and forgets what was entered. */
export function Cancel({ kept, onCancel }: { readonly kept: Kept; readonly onCancel: () => void }) {
  return (
    <Button
      kind="quiet"
      onPress={() => {
        kept.reset();
        onCancel();
      }}
    >
      Cancel
    </Button>
  );
}
