// How a change to many checks decides about some of them, and writes what it decides.
import type { ChangedCheck, PreviousFields, RefusedCheck } from '#domain/changes/bulk-change.ts';
import { revisionOf } from '#domain/patch.ts';
import { currentActing } from '../base/audit/acting.ts';
import { withEntries } from '../base/audit/audited-transactions.ts';
import { json } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { breathe } from '../base/slices.ts';
import type { Db } from '../base/tables/schema.ts';
import { type DependencyProblem, findProblemOfCheck, type ReadNodes, rememberNodes } from './check-dependencies.ts';
import { type CheckWrite, findGroup, readChecks, type StoredCheck, writeChange } from './checks.ts';
import { findChannels } from '../channels/subscriptions.ts';

/** Previous values that are stored per part, bytes of JSON. */
const maxPreviousBytes = 65_536;
/** Checks that a preview reads at once. */
const previewSize = 100;

/** A check whose turn it is; with what it was before, if a change is undone. */
export type DueCheck = Pick<ChangedCheck, 'checkId'> & Partial<ChangedCheck>;

/** What becomes of a check. null = it is so already. */
export type Decision = { readonly write: CheckWrite; readonly previous: PreviousFields } | { readonly reason: string };

/** The rules by which checks are changed. */
export interface ChangeRules {
  /** null = they are deleted. It refuses nothing, and runs in the transaction. */
  readonly decide: ((present: StoredCheck) => Decision | null) | null;
  /** Why a check cannot be changed that does not exist. */
  readonly missing: string;
  /** The same of one whose references cannot be saved. */
  readonly reasonOf: (problem: DependencyProblem) => string;
}

/** What became of a check. null = it was so already. */
export type Outcome = ChangedCheck | RefusedCheck | null;

type Audited = <Answer>(tx: Db, work: () => Promise<Answer>) => Promise<Answer>;

/** Runs work with an entry of its own in the audit log. Call it before the transaction, which runs for others too. */
export function auditedBy({ seal, clock }: Database): Audited {
  const acting = currentActing();
  return (tx, work) => (acting === undefined ? work() : withEntries(tx, { acting, seal, now: clock.now() }, work));
}

/** Decides about the checks of a part in its transaction. */
export async function applyTo(
  tx: Db,
  database: Database,
  accountId: string,
  due: readonly DueCheck[],
  { decide, missing, reasonOf }: ChangeRules,
  { audited, removeOne }: { readonly audited: Audited; readonly removeOne: (id: string) => Promise<boolean> },
): Promise<Outcome[]> {
  const ids = due.map(({ checkId }) => checkId);
  const stored = decide === null ? [] : await readChecks(tx, accountId, ids, database.seal);
  const byId = new Map(stored.map((one) => [one.check.id, one]));
  const outcomes: Outcome[] = [];
  for (const checkId of ids) {
    const present = byId.get(checkId);
    if (decide === null) {
      const isRemoved = await audited(tx, () => removeOne(checkId));
      outcomes.push(isRemoved ? { checkId, revision: null, previous: null } : { checkId, reason: missing });
    } else if (present === undefined) {
      outcomes.push({ checkId, reason: missing });
    } else {
      outcomes.push(await changeTo(tx, database, present, decide(present), { audited, reasonOf }));
    }
  }
  return outcomes;
}

async function changeTo(
  tx: Db,
  database: Database,
  present: StoredCheck,
  decision: Decision | null,
  { audited, reasonOf }: { readonly audited: Audited; readonly reasonOf: ChangeRules['reasonOf'] },
): Promise<Outcome> {
  const { id: checkId } = present.check;
  if (decision === null) return null;
  if ('reason' in decision) return { checkId, reason: decision.reason };
  const written = await audited(tx, () => writeChange(tx, database, present, decision.write));
  if (!('saved' in written)) return { checkId, reason: reasonOf(written) };
  const changed = { checkId, revision: revisionOf(written.saved), previous: decision.previous };
  if (decision.write.subscriptions === null) return changed;
  const target = { checkId, groupId: null };
  return { ...changed, subscriptions: await findChannels(tx, present.check.accountId, target) };
}

/** Omits previous values that do not fit. */
export function withinBytes(changed: readonly ChangedCheck[]): ChangedCheck[] {
  let bytes = 0;
  return changed.map((one) => {
    const { subscriptions, ...rest } = one;
    const size = Buffer.byteLength(json([one.previous, subscriptions]));
    if (bytes + size > maxPreviousBytes) return { ...rest, previous: null };
    bytes += size;
    return one;
  });
}

/** What a change would do to some checks, which may be many. */
export async function previewChange(
  { reader, seal }: Database,
  accountId: string,
  ids: readonly string[],
  { decide, missing, reasonOf }: ChangeRules,
): Promise<{ readonly changed: number; readonly refused: (RefusedCheck & { readonly name: string | null })[] }> {
  let changed = 0;
  const refused: (RefusedCheck & { readonly name: string | null })[] = [];
  for (let from = 0; from < ids.length; from += previewSize) {
    const some = ids.slice(from, from + previewSize);
    const stored = new Map((await readChecks(reader, accountId, some, seal)).map((one) => [one.check.id, one]));
    const read = rememberNodes(reader, accountId);
    for (const checkId of some) {
      const present = stored.get(checkId);
      if (present === undefined) {
        refused.push({ checkId, name: null, reason: missing });
        continue;
      }
      const decision = decide === null ? undefined : decide(present);
      if (decision === null) continue;
      const reason = decision === undefined ? null : await reasonIn(reader, present, decision, seal, reasonOf, read);
      if (reason === null) changed++;
      else refused.push({ checkId, name: present.check.name, reason });
    }
    await breathe();
  }
  return { changed, refused };
}

/** Why a decision could not be saved now; null = it could. */
async function reasonIn(
  db: Db,
  present: StoredCheck,
  decision: Decision,
  seal: Database['seal'],
  reasonOf: ChangeRules['reasonOf'],
  read: ReadNodes,
): Promise<string | null> {
  if ('reason' in decision) return decision.reason;
  const { check } = decision.write;
  const group = check.groupId === null ? null : await findGroup(db, check.accountId, check.groupId, seal);
  const problem = await findProblemOfCheck(db, check, group, present.check.dependsOn, read);
  return problem === null ? null : reasonOf(problem);
}
