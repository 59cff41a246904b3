// A form in which the signed-in user proves who they are.
import type { FormEvent, ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { ServiceError } from '../../api/client.ts';
import { textFields } from '../../ui/controls/form-data.ts';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import css from './profile.module.css';

/** A form whose errors appear beside their fields. */
export function ProofForm({
  send,
  children,
  fault,
}: {
  readonly send: (fields: ReadonlyMap<string, string>, pressed: string) => Promise<void>;
  readonly fault: unknown;
  readonly children: ReactNode;
}) {
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    await send(textFields(event.currentTarget), submitter?.getAttribute('value') ?? '');
  };
  const attributes = fault instanceof ServiceError ? fault.attributes : {};
  const perField = Object.fromEntries(Object.entries(attributes).map(([name, sentence]) => [name, String(sentence)]));
  return (
    <Form
      className={css['form'] ?? ''}
      validationErrors={perField}
      // The error is shown below the fields.
      onSubmit={(event) => void submit(event).catch(() => undefined)}
    >
      {children}
      {fault !== null && Object.keys(perField).length === 0 && <ErrorMessage error={fault} />}
    </Form>
  );
}
