// Where checks stand, as the API reads it: of ten thousand states only those are read that have moved since (docs/decisions/0040).
import { type Kysely, sql } from 'kysely';
import type { CheckStatus } from '#domain/checks/check-state.ts';
import type { StatusOfCheck } from '#domain/checks/status-of-check.ts';
import { createRecent } from '#lib/recent.ts';
import { idBytes, idOfDigits, idTextOrNull } from '../base/codec.ts';
import { outcomeCodes, reasonCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Dialect } from '../base/dialect.ts';
import { breathe } from '../base/slices.ts';
import type { CheckStatesTable, Tables } from '../base/tables/schema.ts';

/** Statuses side by side in the list. */
export type StatusPiece = readonly StatusOfCheck[];

/** The state of every check. */
export interface CheckStatuses {
  /**
   * All of them, checks without any result too, oldest check first, side by side in pieces. A piece is the same array again as
   * long as nothing in it changed.
   */
  list(accountId: string): Promise<readonly StatusPiece[]>;
  find(accountId: string, checkId: string): Promise<StatusOfCheck | null>;
}

/** Rows read in one statement at most: bounds how long a list of thousands holds the loop. */
const [checksAtOnce, revisionsAtOnce, statesAtOnce] = [1000, 5000, 500];
/** Checks whose statuses are remembered, of all accounts together: about a kilobyte each. */
const rememberedMost = 50_000;
/** Statuses in a piece. */
const pieceSize = 250;
/** Digits of an id. */
const keyLength = 32;

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
] as const satisfies readonly (keyof CheckStatesTable)[];

type StateRow = Pick<CheckStatesTable, (typeof stateColumns)[number]>;
type CheckRow = Awaited<ReturnType<ReturnType<typeof checkRows>['execute']>>[number];

/** What is known of an account: the count of its changes before its checks were read, and these by the digits of their ids. */
interface Known {
  readonly revision: number;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly pieces: StatusPiece[];
  /** The sum of the revisions before its states were read last; null = they were not yet. */
  sum: number | null;
}

interface Entry {
  readonly check: CheckRow;
  /** Position in the list. */
  readonly at: number;
  state: StateRow | null;
}

export function createCheckStatuses({ reader, dialect }: Database): CheckStatuses {
  const remembered = createRecent<Known>({ most: rememberedMost, sizeOf: ({ entries }) => Math.max(1, entries.size) });
  const readKnown = async (accountId: string): Promise<Known> => {
    const revision = await readRevision(reader, accountId);
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
    async list(accountId) {
      const known = await readKnown(accountId);
      const sum = await readSum(reader, accountId);
      if (sum === known.sum) return [...known.pieces];
      for await (const keys of changedKeys(reader, dialect, accountId, known)) {
        const rows = await stateRows(reader, accountId)
          .select(dialect.idDigits('check_id').$castTo<string>().as('key'))
          .where(
            dialect.idIn(
              'check_id',
              keys.map((key) => idBytes(idOfDigits(key))),
            ),
          )
          .execute();
        showStates(known, rows);
        await breathe();
      }
      known.sum = sum;
      remembered.set(accountId, known);
      return [...known.pieces];
    },
    async find(accountId, checkId) {
      const id = idBytes(checkId);
      const check = await checkRows(reader, dialect, accountId).where('checks.id', '=', id).executeTakeFirst();
      if (check === undefined) return null;
      const state = await stateRows(reader, accountId).where('check_id', '=', id).executeTakeFirst();
      return statusOf(check, state ?? null);
    },
  };
}

function showStates({ entries, pieces }: Known, rows: readonly (StateRow & { readonly key: string })[]): void {
  const changed = new Map<number, StatusOfCheck[]>();
  for (const { key, ...state } of rows) {
    const entry = entries.get(key);
    // Of readings under way at once another one may know more by now.
    if (entry === undefined || state.revision <= (entry.state?.revision ?? -1)) continue;
    entry.state = state;
    const index = Math.floor(entry.at / pieceSize);
    const piece = changed.get(index) ?? [...(pieces[index] ?? [])];
    piece[entry.at % pieceSize] = statusOf(entry.check, state);
    changed.set(index, piece);
  }
  for (const [index, piece] of changed) pieces[index] = piece;
}

/** The digits of checks whose state has another revision than the known one, some at a time. */
async function* changedKeys(
  reader: Kysely<Tables>,
  dialect: Dialect,
  accountId: string,
  { entries }: Known,
): AsyncGenerator<string[]> {
  // One text for thousands of rows costs a third of what the rows do.
  const line = sql`concat(${dialect.idDigits('check_id')}, revision)`;
  for (let after = Buffer.alloc(0) as Uint8Array; ;) {
    const some = reader
      .selectFrom('check_states')
      .select(['check_id', 'revision'])
      .where('account_id', '=', idBytes(accountId))
      .where('check_id', '>', after)
      .orderBy('check_id')
      .limit(revisionsAtOnce);
    const row = await reader
      .selectFrom(some.as('some'))
      .select(sql<string | null>`string_agg(${line}, ',' order by check_id)`.as('lines'))
      .executeTakeFirst();
    const lines = row?.lines?.split(',') ?? [];
    const changed = lines.flatMap((text) => {
      const key = text.slice(0, keyLength);
      const entry = entries.get(key);
      // A check that was added since is of the next reading.
      return entry === undefined || entry.state?.revision === Number(text.slice(keyLength)) ? [] : [key];
    });
    for (let start = 0; start < changed.length; start += statesAtOnce) yield changed.slice(start, start + statesAtOnce);
    const last = lines.at(-1);
    if (last === undefined || lines.length < revisionsAtOnce) return;
    after = idBytes(idOfDigits(last.slice(0, keyLength)));
    await breathe();
  }
}

async function readChecks(reader: Kysely<Tables>, dialect: Dialect, accountId: string): Promise<CheckRow[]> {
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

/** The checks of an account, each with its slots or whether it is an active heartbeat. */
function checkRows(reader: Kysely<Tables>, dialect: Dialect, accountId: string) {
  return reader
    .selectFrom('checks')
    .leftJoin('schedules', (join) =>
      join.onRef('schedules.account_id', '=', 'checks.account_id').onRef('schedules.check_id', '=', 'checks.id'),
    )
    .leftJoin('heartbeats', (join) =>
      join.onRef('heartbeats.account_id', '=', 'checks.account_id').onRef('heartbeats.check_id', '=', 'checks.id'),
    )
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

function stateRows(reader: Kysely<Tables>, accountId: string) {
  return reader.selectFrom('check_states').select(stateColumns).where('account_id', '=', idBytes(accountId));
}

async function readRevision(reader: Kysely<Tables>, accountId: string): Promise<number> {
  const row = await reader
    .selectFrom('counters')
    .select('last')
    .where('account_id', '=', idBytes(accountId))
    .where('noun', '=', 'revision')
    .executeTakeFirst();
  return row?.last ?? 0;
}

/** Another one whenever a state has changed: revisions only grow. */
async function readSum(reader: Kysely<Tables>, accountId: string): Promise<number> {
  const row = await reader
    .selectFrom('check_states')
    .select(sql<number>`coalesce(sum(revision), 0)`.as('sum'))
    .where('account_id', '=', idBytes(accountId))
    .executeTakeFirstOrThrow();
  return row.sum;
}

/** What is shown of a check in a state; null = no result has moved it yet. */
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
