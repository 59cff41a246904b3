// Changes to many checks at once: starts them, follows their progress, and offers to take them back.
import { useQueryClient } from '@tanstack/react-query';
import { use } from 'react';
import type { Request } from '#contract/caller.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf, ServiceError } from '../../api/client.ts';
import { toast } from '../layout/toast.tsx';
import { count, plural } from '../text/format.ts';
import { shownIn } from './check-actions.ts';

export type BulkChange = AnswerOf<'getCheckChange'>;
/** What becomes of the checks: `change` or `delete`. */
export type BulkWanted = Pick<Request<'createCheckChange'>['body'], 'change' | 'delete'>;

/** Time between two looks at the progress, ms: at first, later, and while the server cannot be reached. */
const [firstMs, pauseMs, lostMs] = [60, 400, 2000];
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Receives how many checks are done. */
type OnProgress = (done: number) => void;

export function useBulkChanges(): {
  /** Reports the outcome. @param verb such as `Paused` */
  readonly apply: (
    checkIds: readonly string[],
    wanted: BulkWanted,
    verb: string,
    onProgress?: OnProgress,
  ) => Promise<void>;
  /** What a change would do. */
  readonly preview: (checkIds: readonly string[], wanted: BulkWanted, signal: AbortSignal) => Promise<BulkChange>;
} {
  const accountId = use(AccountContext);
  const client = clientOf(accountId);
  const cache = useQueryClient();
  const followed = async (started: Promise<BulkChange>, onProgress: OnProgress): Promise<BulkChange> => {
    let change = await started;
    for (let ms = firstMs; change.status === 'running'; ms = pauseMs) {
      await pause(ms);
      const { id } = change;
      change = await client.call('getCheckChange', { params: { id: id ?? '' } }).catch(async (error: unknown) => {
        // The change goes on without this page.
        if (error instanceof ServiceError && error.statusCode < 500) throw error;
        await pause(lostMs);
        return change;
      });
      onProgress(change.checks - change.remaining);
    }
    return change;
  };
  const run = async (started: Promise<BulkChange>, verb: string, onProgress: OnProgress): Promise<void> => {
    try {
      const change = await followed(started, onProgress);
      report(change, verb, (id) => void run(undo(id), 'Restored', () => undefined));
    } catch (error) {
      toast.fault(error);
    }
    await Promise.all(
      [...shownIn, 'listChecks' as const].map((id) => cache.invalidateQueries({ queryKey: [accountId, id] })),
    );
  };
  const undo = (id: string): Promise<BulkChange> => client.call('undoCheckChange', { params: { id } });
  return {
    apply: (checkIds, wanted, verb, onProgress = () => undefined) =>
      run(client.call('createCheckChange', { body: { checkIds: [...checkIds], ...wanted } }), verb, onProgress),
    preview: (checkIds, wanted, signal) =>
      client.call('createCheckChange', { body: { checkIds: [...checkIds], ...wanted, dryRun: true }, signal }),
  };
}

/** Says what a change did, with a button that takes it back for as long as the server can. */
function report(change: BulkChange, verb: string, undo: (id: string) => void): void {
  const { id, changed, unchanged, refused, remaining, undoableUntil, ended_at } = change;
  const canUndo = undoableUntil !== null && id !== null;
  const forMs = canUndo ? Date.parse(undoableUntil) - Date.parse(ended_at ?? undoableUntil) : undefined;
  if (changed > 0) toast.done(`${verb} ${plural(changed, 'check')}`, canUndo ? () => undo(id) : undefined, forMs);
  else if (unchanged > 0) toast.done(`${plural(unchanged, 'check')} had these settings already`);
  if (refused > 0)
    toast.problem(
      `${plural(refused, 'check')} ${refused === 1 ? 'was' : 'were'} not changed. ${reasonsOf(change).slice(0, 3).join(' ')}`,
    );
  if (remaining > 0) toast.problem(`${plural(remaining, 'check')} not reached because of an error in Tocsin`);
}

/** Names of checks in a sentence. */
const namedChecks = 3;

/** Why checks were refused, a sentence for each reason, with the names of some checks. */
export function reasonsOf({ refusals, refused }: BulkChange): string[] {
  const byReason = Map.groupBy(refusals, ({ reason }) => reason);
  const sentences = [...byReason].map(([reason, checks]) => {
    const names = checks.slice(0, namedChecks).map(({ name, checkId }) => name ?? checkId);
    const others = checks.length - names.length;
    return `${reason} (${names.join(', ')}${others > 0 ? ` and ${count(others)} more` : ''})`;
  });
  return refusals.length < refused
    ? [...sentences, `And ${plural(refused - refusals.length, 'check')} more.`]
    : sentences;
}
