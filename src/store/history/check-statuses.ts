// Check statuses as the API reads them: of ten thousand states, only changed ones are read (docs/decisions/0040).
import { inAccount, selectRows } from '../base/rows.ts';
import type { Acknowledger } from '#domain/alerts/incident.ts';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import type { CheckStatus } from '#domain/checks/check-state.ts';
import type { StatusOfCheck } from '#domain/checks/status-of-check.ts';
import { createRecent } from '#lib/recent.ts';
import { idBytes, idOfDigits, idTextOrNull, parsedOrNull } from '../base/codec.ts';
import { outcomeCodes, reasonCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Dialect } from '../base/dialect.ts';
import { breathe } from '../base/slices.ts';
import { acknowledgedBy } from './incidents.ts';
import { accountRevision, changedStates, stateRevisions } from './state-revisions.ts';
import type { CheckStatesTable, Db } from '../base/tables/schema.ts';

/** Adjacent statuses in the list. */
export type StatusPiece = readonly StatusOfCheck[];

/** Maximum number of rows per statement, because it blocks the event loop. */
const checksAtOnce = 1000;
/** Checks whose statuses are cached, of all accounts together: about 1 kB each. */
const maxRemembered = 50_000;
/** Statuses per chunk. */
const pieceSize = 250;

const stateColumns = [
  'revision',
  'status',
  'since',
  'last_outcome',
  'last_reason',
  'last_location',
  'last_result_id',
  'longest_response_us',
  'shortest_response_us',
  'certificate_valid_to',
  'updated_at',
  'incident_id',
  'acknowledged_at',
  'suppressed_by',
  'flapping_since',
] as const satisfies readonly (keyof CheckStatesTable)[];

type StateRow = Pick<CheckStatesTable, (typeof stateColumns)[number]> & { acknowledged_by: string | null };
type CheckRow = Awaited<ReturnType<ReturnType<typeof checkRows>['execute']>>[number];

/** Cached data of an account: its revision before its checks were read, and the checks by the digits of their IDs. */
interface Known {
  readonly revision: number;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly pieces: StatusPiece[];
  /** Sum of the revisions before its states were last read; null = not read yet. */
  sum: number | null;
}

interface Entry {
  readonly check: CheckRow;
  /** Position in the list. */
  readonly at: number;
  state: StateRow | null;
}

/** The state of every check. */
export function createCheckStatuses({ reader, dialect }: Database) {
  const remembered = createRecent<Known>({ max: maxRemembered, sizeOf: ({ entries }) => Math.max(1, entries.size) });
  const readKnown = async (accountId: string): Promise<Known> => {
    const revision = await accountRevision(reader, accountId);
    const before = remembered.get(accountId);
    if (before?.revision === revision) return before;
    const checks = await readChecks(reader, dialect, accountId);
    const entries = checks.map((check, at) => ({ check, at, state: before?.entries.get(check.key)?.state ?? null }));
    const statuses = entries.map(({ check, state }) => statusOf(check, state));
    const pieces = Array.from({ length: Math.ceil(statuses.length / pieceSize) }, (_, index) =>
      statuses.slice(index * pieceSize, (index + 1) * pieceSize),
    );
    return { revision, entries: new Map(entries.map((entry) => [entry.check.key, entry])), pieces, sum: null };
  };
  return {
    /**
     * All checks including those without results, oldest first, in chunks. A chunk is the same array while nothing in it
     * changes.
     */
    async list(accountId: string): Promise<readonly StatusPiece[]> {
      const known = await readKnown(accountId);
      const sum = await stateRevisions(reader, accountId);
      if (sum === known.sum) return [...known.pieces];
      const revisionOf = (key: string) => revisionIn(known, key);
      for await (const ids of changedStates({ reader, dialect }, accountId, revisionOf)) {
        const rows = stateRows(reader, accountId).select(dialect.idDigits('check_id').$castTo<string>().as('key'));
        showStates(known, await rows.where(dialect.idIn('check_id', ids)).execute());
      }
      known.sum = sum;
      remembered.set(accountId, known);
      return [...known.pieces];
    },
    async find(accountId: string, checkId: string): Promise<StatusOfCheck | null> {
      const id = idBytes(checkId);
      const check = await checkRows(reader, dialect, accountId).where('checks.id', '=', id).executeTakeFirst();
      if (check === undefined) return null;
      const state = await stateRows(reader, accountId).where('check_id', '=', id).executeTakeFirst();
      return statusOf(check, state ?? null);
    },
  };
}

/** The cached revision of a check's state; undefined = the check is not cached. */
function revisionIn({ entries }: Known, key: string): number | null | undefined {
  const entry = entries.get(key);
  return entry === undefined ? undefined : (entry.state?.revision ?? null);
}

function showStates({ entries, pieces }: Known, rows: readonly (StateRow & { readonly key: string })[]): void {
  const changed = new Map<number, StatusOfCheck[]>();
  for (const { key, ...state } of rows) {
    const entry = entries.get(key);
    // A concurrent read may have a newer one by now.
    if (entry === undefined || state.revision <= (entry.state?.revision ?? -1)) continue;
    entry.state = state;
    const index = Math.floor(entry.at / pieceSize);
    const piece = changed.get(index) ?? [...(pieces[index] ?? [])];
    piece[entry.at % pieceSize] = statusOf(entry.check, state);
    changed.set(index, piece);
  }
  for (const [index, piece] of changed) pieces[index] = piece;
}

async function readChecks(reader: Db, dialect: Dialect, accountId: string): Promise<CheckRow[]> {
  const checks: CheckRow[] = [];
  const query = checkRows(reader, dialect, accountId)
    .orderBy('checks.created_at')
    .orderBy('checks.id')
    .limit(checksAtOnce);
  let rows = await query.execute();
  for (;;) {
    checks.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < checksAtOnce) return checks;
    await breathe();
    const id = idBytes(idOfDigits(last.key));
    rows = await query
      .where((row) => row(row.refTuple('checks.created_at', 'checks.id'), '>', row.tuple(last.created_at, id)))
      .execute();
  }
}

/** The checks of an account, with their schedules or as active heartbeats. */
export function checkRows(reader: Db, dialect: Dialect, accountId: string) {
  return reader
    .selectFrom('checks')
    .leftJoin('schedules', inAccount('schedules.check_id', 'checks.id'))
    .leftJoin('heartbeats', inAccount('heartbeats.check_id', 'checks.id'))
    .select([
      dialect.idDigits('checks.id').$castTo<string>().as('key'),
      'checks.name',
      'checks.created_at',
      'checks.updated_at',
      'schedules.interval_ms',
      'schedules.phase_ms',
      'heartbeats.is_active',
    ])
    .where('checks.account_id', '=', idBytes(accountId));
}

function stateRows(reader: Db, accountId: string) {
  return selectRows(reader, 'check_states', { account_id: idBytes(accountId) })
    .select(stateColumns)
    .select((row) => acknowledgedBy(row).as('acknowledged_by'));
}

/** The status of a check in a state; null = no result has changed it yet. */
function statusOf(check: CheckRow, state: StateRow | null): StatusOfCheck {
  return {
    checkId: idOfDigits(check.key),
    name: check.name,
    status: (state?.status ?? null) as CheckStatus | null,
    since: state?.since ?? null,
    isActive: check.interval_ms !== null || check.is_active === 1,
    slots: check.interval_ms === null ? null : { intervalMs: check.interval_ms, phaseMs: check.phase_ms ?? 0 },
    lastOutcome: decoded(outcomeCodes, state?.last_outcome),
    lastReason: decoded(reasonCodes, state?.last_reason),
    lastLocation: state?.last_location ?? null,
    lastResultId: idTextOrNull(state?.last_result_id ?? null),
    longestMs: msOf(state?.longest_response_us),
    shortestMs: msOf(state?.shortest_response_us),
    certificateValidTo: state?.certificate_valid_to ?? null,
    incidentId: idTextOrNull(state?.incident_id ?? null),
    acknowledgedAt: state?.acknowledged_at ?? null,
    acknowledgedBy: parsedOrNull<Acknowledger>(state?.acknowledged_by ?? null),
    suppressedBy: parsedOrNull<Suppressor>(state?.suppressed_by ?? null),
    flappingSince: state?.flapping_since ?? null,
    createdAt: check.created_at,
    updatedAt: state?.updated_at ?? check.updated_at,
  };
}

function decoded<Name>(codes: { decode(code: number): Name }, code: number | null | undefined): Name | null {
  return code === null || code === undefined ? null : codes.decode(code);
}

function msOf(us: number | null | undefined): number | null {
  return us === null || us === undefined ? null : us / 1000;
}
