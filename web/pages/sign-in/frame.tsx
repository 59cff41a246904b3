// The layout of pages without a session: a centered card.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Form } from 'react-aria-components';
import { ServiceError } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { textFields } from '../../ui/controls/form-data.ts';
import { text } from './strings.ts';
import css from './sign-in.module.css';

export function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Tocsin`;
  }, [title]);
  return (
    <main className={css['page']}>
      <div className={css['card']}>
        <img src="/favicon.svg" alt="" width="40" height="40" />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** A form of a person without a session; errors appear beside their field. */
export function SessionForm({
  action,
  children,
  send,
  next = '/',
  onDone,
}: {
  readonly action: string;
  readonly children: ReactNode;
  readonly send: (fields: ReadonlyMap<string, string>) => Promise<unknown>;
  /** The page to go to; null = none. */
  readonly next?: string | null;
  /** What to do instead of going to a page. */
  readonly onDone?: () => Promise<unknown>;
}) {
  const [fault, setFault] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const fields = textFields(event.currentTarget);
    setSending(true);
    try {
      await send(fields);
      if (onDone !== undefined) return void (await onDone());
      cache.clear();
      if (next !== null) await navigate({ href: next });
    } catch (error) {
      setFault(error);
      setSending(false);
    }
  };
  const attributes = fault instanceof ServiceError ? fault.attributes : {};
  const perField = Object.fromEntries(Object.entries(attributes).map(([name, sentence]) => [name, String(sentence)]));
  return (
    <Form className={css['form'] ?? ''} validationErrors={perField} onSubmit={(event) => void submit(event)}>
      {children}
      {fault !== null && Object.keys(perField).length === 0 && <ErrorMessage error={fault} />}
      <Button type="submit" kind="primary" isDisabled={isSending}>
        {action}
      </Button>
    </Form>
  );
}

/** Asks for the code of a second factor once the server requires it. */
export function useCode(): {
  readonly field: ReactNode;
  /** Notes that a code is required, and passes the error on. */
  readonly noteFault: (error: unknown) => never;
  readonly codeOf: (fields: ReadonlyMap<string, string>) => { readonly code?: string };
} {
  const [isRequired, setRequired] = useState(false);
  return {
    field: isRequired && (
      <Field label={text.code} name="code" autoComplete="one-time-code" help={text.codeHelp} isRequired autoFocus />
    ),
    noteFault(error) {
      const attributes = error instanceof ServiceError ? error.attributes : {};
      if ('secondFactor' in attributes) setRequired(true);
      throw error;
    },
    codeOf(fields) {
      const code = fields.get('code');
      return code === undefined ? {} : { code };
    },
  };
}

/** The one-time token in the fragment of the link, which the browser does not send to the server. */
export function useLinkToken(): string {
  // Another link that is pasted into this tab changes only the fragment.
  return useSyncExternalStore(onHashChange, () => location.hash.slice(1));
}

function onHashChange(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
