// Creates many checks at once: those that are right, in one transaction.
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { CheckWrite } from '#store/checks/checks.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { Refusal } from '../refusal.ts';
import { savedOrRefused } from './check-rules.ts';
import type { CheckInput } from './check-edits.ts';
import { type CheckDeps, draftCheck } from './checks.ts';

/** What is wrong with a check, by field; empty = nothing. */
type Errors = Readonly<Record<string, string>>;

/** A definition, or what is wrong with its form. */
export type ImportedCheck = { readonly checkType: CheckType; readonly input: CheckInput } | { readonly errors: Errors };

/** What became of a definition; `id` null = it was not created. */
export interface Imported {
  readonly id: string | null;
  readonly errors: Errors;
}

interface ImportOptions {
  /** Subscribe the channels that have `autoSubscribe` set. */
  readonly isAutoAssigned: boolean;
  /** Create nothing. */
  readonly isDryRun: boolean;
}

export type CheckImportActions = ReturnType<typeof createCheckImportActions>;

export function createCheckImportActions({
  drafts,
  checks,
}: {
  readonly drafts: CheckDeps;
  readonly checks: Pick<Store['checks'], 'addAll'>;
}) {
  return {
    /**
     * Creates those that are right, and returns what became of each, in order. Throws `LimitReachedError` if they do
     * not fit into the account's limit; then none is created.
     */
    async create(caller: Caller, all: readonly ImportedCheck[], { isAutoAssigned, isDryRun }: ImportOptions) {
      requirePermission(caller, 'write');
      const found: Imported[] = [];
      const writes: { readonly index: number; readonly write: CheckWrite }[] = [];
      for (const [index, each] of all.entries()) {
        const drafted = 'errors' in each ? each : await writeOf(caller, each, isAutoAssigned, drafts);
        found.push({ id: null, errors: 'errors' in drafted ? drafted.errors : {} });
        if (!('errors' in drafted)) writes.push({ index, write: drafted });
      }
      if (isDryRun || writes.length === 0) return found;
      const added = await checks.addAll(
        caller.accountId,
        writes.map(({ write }) => write),
      );
      for (const [at, { index }] of writes.entries()) {
        const outcome = added[at];
        if (outcome !== undefined) found[index] = importedOf(() => savedOrRefused(outcome).check.id);
      }
      return found;
    },
  };
}

async function writeOf(
  caller: Caller,
  { checkType, input }: Exclude<ImportedCheck, { readonly errors: Errors }>,
  isAutoAssigned: boolean,
  drafts: CheckDeps,
): Promise<CheckWrite | { readonly errors: Errors }> {
  try {
    const check = await draftCheck(caller, checkType, input, null, drafts);
    const used = drafts.missingVariables.namesOf(check);
    return { check, subscriptions: input.alertChannelSubscriptions, isAutoAssigned, ...used };
  } catch (error) {
    return { errors: errorsOf(error) };
  }
}

function importedOf(id: () => string): Imported {
  try {
    return { id: id(), errors: {} };
  } catch (error) {
    return { id: null, errors: errorsOf(error) };
  }
}

/** What an invalid definition says; throws every other error. */
function errorsOf(error: unknown): Errors {
  if (error instanceof Refusal && error.code === 'invalid') return error.attributes as Errors;
  throw error;
}
