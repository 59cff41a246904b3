// What the pages of status pages share: the links between the lists, loading, and deletion.
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AnswerOf, OperationId } from '#contract/operations.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { incidentReads } from '../../ui/status-incidents/publish.tsx';
import { text } from './strings.ts';
import css from './status-pages.module.css';

export type StatusPage = AnswerOf<'getStatusPage'>;
export type Service = AnswerOf<'getStatusService'>;

/** What a change of one of them makes old. */
export const pageReads: readonly OperationId[] = ['listStatusPages', 'getStatusPage'];
export const serviceReads: readonly OperationId[] = [
  'listStatusServices',
  'getStatusService',
  ...pageReads,
  ...incidentReads,
];

export function Places() {
  return (
    <nav className={css['places']} aria-label={text.places}>
      <Link to="/status-pages" activeOptions={{ exact: true }}>
        {text.pages}
      </Link>
      <Link to="/status-pages/services">{text.services}</Link>
      <Link to="/status-pages/incidents">{text.incidents}</Link>
    </nav>
  );
}

/** The content once it is loaded. */
export function Loaded<Data>({
  read: { data, error, refetch },
  children,
}: {
  readonly read: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly children: (data: Data) => ReactNode;
}) {
  if (error !== null && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton lines={6} height={36} /> : children(data);
}

/** A button that deletes after a question. */
export function Remove({
  name,
  help,
  remove,
  onRemoved,
}: {
  readonly name: string;
  readonly help: string;
  readonly remove: () => Promise<unknown>;
  readonly onRemoved: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onPress={() => setAsking(true)}>{text.remove}</Button>
      <Confirm
        title={text.removeTitle(name)}
        action={text.remove}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove();
          toast.done(text.removed(name));
          onRemoved();
        }}
      >
        <p>{help}</p>
      </Confirm>
    </>
  );
}

/** The fields of a body that differ from the first one, so that others' changes of other fields are kept. */
export function changedFields(start: object, body: object): object {
  const before = start as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
