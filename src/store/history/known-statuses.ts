// What is known of the statuses of an account from one reading to the next: by it a reading finds what changed since
// (docs/decisions/0040). Nothing here is changed in place, so that readings under way at once do not disturb each other.
import type { CheckStatus } from '#domain/checks/check-state.ts';
import type { Outcome, Reason } from '#domain/results/result.ts';
import type { StatusOfCheck } from '#domain/checks/status-of-check.ts';
import { type IdBytes, idBytes, idOfDigits, idTextOrNull } from '../base/codec.ts';
import { outcomeCodes, reasonCodes } from '../base/codes.ts';
import type { CheckStatesTable } from '../base/tables/schema.ts';

/** Statuses side by side in a list: the same array again as long as none of them changed. */
export type StatusPiece = readonly StatusOfCheck[];

/** The columns of a check that its status shows. */
export interface CheckPart {
  /** The digits of its id, as the engine writes them. */
  readonly key: string;
  readonly name: string;
  readonly created_at: number;
  readonly updated_at: number | null;
  /** null = it has no slots. */
  readonly interval_ms: number | null;
  readonly phase_ms: number | null;
  /** Of a heartbeat, whether it is active; null = it is none. */
  readonly is_active: number | null;
}

/** The columns of a state that a status shows. */
export type StatePart = Pick<
  CheckStatesTable,
  | 'status'
  | 'last_outcome'
  | 'last_reason'
  | 'since'
  | 'last_location'
  | 'last_result_id'
  | 'certificate_valid_to'
  | 'longest_response_us'
  | 'shortest_response_us'
  | 'updated_at'
>;

/** A check of the list. */
interface Entry {
  readonly check: CheckPart;
  /** Position in the list. */
  readonly at: number;
  /** What said that the state is this one, read before it; null = it has no state. */
  readonly stamp: string | null;
  readonly state: StatePart | null;
  readonly status: StatusOfCheck;
}

/** What the stamps of some states come to together. */
export interface Tally {
  readonly rows: number;
  /** The sum of what stands for the transactions that wrote them. */
  readonly versions: number;
  /** The sum of the instants at which they changed, each from `instantsFrom` on. */
  readonly instants: number;
}

/** Checks side by side in the order of their ids: what one statement asks for. */
export interface KeyRange {
  readonly keys: readonly string[];
  readonly first: IdBytes;
  readonly last: IdBytes;
  /** Of the stamps of all its states when they were read last; null = they were not yet. */
  readonly tally: Tally | null;
  /** When the stamps were read last, epoch ms. */
  readonly readAt: number;
  /** What stood for the writes of others when all stamps were read last. */
  readonly ofOthers: number;
}

/** All that is known of an account. */
export interface Known {
  /** The account's count of changes before its checks were read. */
  readonly revision: number;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly ranges: readonly KeyRange[];
  readonly pieces: readonly StatusPiece[];
}

/** Statuses in a piece. */
const pieceSize = 250;
/** Digits of an id, of which a stamp begins. */
export const keyLength = 32;
const noBytes = new Uint8Array();

/** The checks of an account, in the order of the list; states that were known stay known. */
export function knownOf(
  checks: readonly CheckPart[],
  { revision, before, rangeSize }: { revision: number; before: Known | undefined; rangeSize: number },
): Known {
  const entries = new Map<string, Entry>();
  for (const [at, check] of checks.entries()) {
    const old = before?.entries.get(check.key);
    const isSame = old !== undefined && isSameCheck(old.check, check);
    const { stamp, state } = old ?? { stamp: null, state: null };
    entries.set(check.key, { check, at, stamp, state, status: isSame ? old.status : statusOf(check, state) });
  }
  const statuses = [...entries.values()].map(({ status }) => status);
  const pieces = Array.from({ length: Math.ceil(statuses.length / pieceSize) }, (_, index) => {
    const piece = statuses.slice(index * pieceSize, (index + 1) * pieceSize);
    const old = before?.pieces[index];
    return old?.length === piece.length && piece.every((status, place) => status === old[place]) ? old : piece;
  });
  return { revision, entries, ranges: rangesOf(checks, rangeSize), pieces };
}

function isSameCheck(one: CheckPart, other: CheckPart): boolean {
  return (Object.keys(one) as (keyof CheckPart)[]).every((column) => one[column] === other[column]);
}

/** They begin without stamps: what each check's own stamp says is looked at once. */
function rangesOf(checks: readonly CheckPart[], size: number): KeyRange[] {
  const keys = checks.map(({ key }) => key).sort();
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, index) => {
    const some = keys.slice(index * size, (index + 1) * size);
    const [first, last] = [some[0], some.at(-1)].map((key = '') => idBytes(idOfDigits(key)));
    return { keys: some, first: first ?? noBytes, last: last ?? noBytes, tally: null, readAt: 0, ofOthers: 0 };
  });
}

/** What stamps tell of a range. */
export interface Told {
  /** Keys of checks whose state is another than the known one, with the new stamp. */
  readonly changed: ReadonlyMap<string, string>;
  /** A check that had a state has none: it was deleted meanwhile. */
  readonly isGone: boolean;
}

/** Compares stamps of a range, a line for each of its states, with what is known. */
export function compareStamps({ entries }: Known, { keys }: KeyRange, stamps: string): Told {
  const changed = new Map<string, string>();
  let found = 0;
  for (const line of stamps === '' ? [] : stamps.split('\n')) {
    const key = line.slice(0, keyLength);
    const entry = entries.get(key);
    // A check that was added since the list was read is of the next reading.
    if (entry === undefined) continue;
    if (entry.stamp !== null) found++;
    if (entry.stamp !== line) changed.set(key, ownText(line));
  }
  const stated = keys.reduce((count, key) => count + (isStated(entries.get(key)) ? 1 : 0), 0);
  return { changed, isGone: found < stated };
}

/** The same text by itself: a part of a text keeps the whole of it in memory, and stamps are kept for long. */
export function ownText(part: string): string {
  return Buffer.from(part).toString();
}

function isStated(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.stamp !== null;
}

/** The same with states that were read after their stamps. */
export function withStates(
  known: Known,
  ranges: readonly KeyRange[],
  changes: readonly { readonly key: string; readonly stamp: string; readonly state: StatePart }[],
): Known {
  if (changes.length === 0) return { ...known, ranges };
  const entries = new Map(known.entries);
  const pieces = new Map<number, StatusOfCheck[]>();
  for (const { key, stamp, state } of changes) {
    const entry = entries.get(key);
    if (entry === undefined) continue;
    const { check, at } = entry;
    const status = statusOf(check, state);
    entries.set(key, { check, at, stamp, state, status });
    const index = Math.floor(at / pieceSize);
    const piece = pieces.get(index) ?? [...(known.pieces[index] ?? [])];
    piece[at % pieceSize] = status;
    pieces.set(index, piece);
  }
  return { ...known, entries, ranges, pieces: known.pieces.map((piece, index) => pieces.get(index) ?? piece) };
}

/** What is shown of a check in a state; null = no result has moved it yet. */
export function statusOf({ key, ...check }: CheckPart, state: StatePart | null): StatusOfCheck {
  return Object.freeze({
    checkId: idOfDigits(key),
    name: check.name,
    status: (state?.status ?? null) as CheckStatus | null,
    since: state?.since ?? null,
    isActive: check.interval_ms !== null || check.is_active === 1,
    slots: check.interval_ms === null ? null : { intervalMs: check.interval_ms, phaseMs: check.phase_ms ?? 0 },
    lastOutcome: outcomeOf(state?.last_outcome ?? null),
    lastReason: reasonOf(state?.last_reason ?? null),
    lastLocation: state?.last_location ?? null,
    lastResultId: idTextOrNull(state?.last_result_id ?? null),
    longestMs: msOf(state?.longest_response_us ?? null),
    shortestMs: msOf(state?.shortest_response_us ?? null),
    certificateValidTo: state?.certificate_valid_to ?? null,
    createdAt: check.created_at,
    updatedAt: state?.updated_at ?? check.updated_at,
  });
}

function outcomeOf(code: number | null): Outcome | null {
  return code === null ? null : outcomeCodes.decode(code);
}

function reasonOf(code: number | null): Reason | null {
  return code === null ? null : reasonCodes.decode(code);
}

function msOf(us: number | null): number | null {
  return us === null ? null : us / 1000;
}
