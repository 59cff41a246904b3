// All checks of an account, cached for the overview: of ten thousand, only changed ones are read (docs/decisions/0040).
import { findRows, selectRows } from '../base/rows.ts';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import type { Acknowledger } from '#domain/alerts/incident.ts';
import type { CheckStatus } from '#domain/checks/check-state.ts';
import type { MaintenanceWindow } from '#domain/checks/maintenance-window.ts';
import { intervalMs } from '#domain/checks/schedule.ts';
import type { JsonObject } from '#domain/json.ts';
import type { IncidentTrigger } from '#domain/status-pages/status-incident.ts';
import type { OverviewCheck, OverviewCheckState } from '#domain/results/overview.ts';
import { createRecent } from '#lib/recent.ts';
import { idBytes, idOfDigits, idText, idTextOrNull, idTime, parsed, parsedOrNull } from '../base/codec.ts';
import { checkRows } from '../history/check-statuses.ts';
import { acknowledgedBy } from '../history/incidents.ts';
import { outcomeCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import { breathe } from '../base/slices.ts';
import type { Db, Tables } from '../base/tables/schema.ts';
import { windowOf } from '../checks/maintenance-windows.ts';
import { accountRevision, changedStates, stateRevisions } from '../history/state-revisions.ts';

/** Target of a check, in a few words; null = none. */
export type TargetOf = (checkType: string, settings: JsonObject) => string | null;

/** The checks of an account, its maintenance windows, and the names of its groups by ID. Immutable. */
export interface OverviewChecks {
  readonly checks: readonly OverviewCheck[];
  readonly groups: ReadonlyMap<number, string>;
  readonly windows: readonly MaintenanceWindow[];
}

/** Rows per statement, because it blocks the event loop. */
const [checksAtOnce, definitionsAtOnce, subscriptionsAtOnce] = [500, 50, 2000];
/** Rows that are read from their columns per turn of the event loop. */
const rowsAtOnce = 200;
/** Maximum number of cached checks, of all accounts together: about 1 kB each. */
const maxRemembered = 50_000;
/** An edit this recent may be followed by another one within the same millisecond. */
const settledAfterMs = 1000;

/** Parts of a check's definition. */
interface Definition {
  readonly url: string | null;
  readonly mutedUntil: number;
  /** Since when it is muted until it recovers; null = not. */
  readonly mutedFrom: number | null;
  readonly frequencyMs: number;
  readonly incidentOf: string | null;
  /** When the check was last edited, epoch ms; null = read again next time. */
  readonly editedAt: number | null;
}

interface Entry {
  readonly definition: Definition;
  /** Replaced, never modified: readers keep the previous one. */
  check: OverviewCheck;
  revision: number | null;
}

interface Known {
  readonly revision: number;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly groups: ReadonlyMap<number, string>;
  readonly windows: readonly MaintenanceWindow[];
  /** Sum of the revisions before its states were read; null = not read yet. */
  sum: number | null;
  shown: OverviewChecks | null;
}

type Reading = Pick<Database, 'reader' | 'dialect' | 'clock'> & {
  readonly account: string;
  readonly targetOf: TargetOf;
};

/** Creates the reader of an account's committed checks. */
export function createOverviewChecks({ reader, dialect, clock }: Database) {
  const remembered = createRecent<Known>({
    max: maxRemembered,
    // A single account above the limit is cached too.
    sizeOf: ({ entries }) => Math.min(maxRemembered, Math.max(1, entries.size)),
  });
  return async (accountId: string, targetOf: TargetOf): Promise<OverviewChecks> => {
    const reading: Reading = { reader, dialect, clock, account: accountId, targetOf };
    const revision = await accountRevision(reader, accountId);
    const before = remembered.get(accountId) ?? null;
    const known = before?.revision === revision ? before : await readKnown(reading, revision, before);
    const sum = await stateRevisions(reader, accountId);
    if (sum !== known.sum || known.shown === null) {
      await readStates(reading, known);
      known.sum = sum;
      const { groups, windows } = known;
      known.shown = { checks: [...known.entries.values()].map(({ check }) => check), groups, windows };
    }
    remembered.set(accountId, known);
    return known.shown;
  };
}

async function readKnown(reading: Reading, revision: number, before: Known | null): Promise<Known> {
  const { reader, account } = reading;
  const rows = await readRows(reading);
  const definitions = await readDefinitions(reading, rows, before);
  const received = await readNotifying(reader, account);
  const groupsById = await readGroups(reader, account);
  const windows = await findRows(reader, 'maintenance_windows', { account_id: idBytes(account) }, '*', ['id']);
  const entries = new Map<string, Entry>();
  for (const [index, row] of rows.entries()) {
    // A check may have hundreds of tags.
    if (index % rowsAtOnce === rowsAtOnce - 1) await breathe();
    const definition = definitions.get(row.key);
    // Deleted meanwhile.
    if (definition === undefined) continue;
    const group = row.group_id === null ? null : (groupsById.get(row.group_id) ?? null);
    const known = before?.entries.get(row.key);
    const check = checkOf(row, definition, group, received, known?.check.state ?? null);
    entries.set(row.key, { definition, check, revision: known?.revision ?? null });
  }
  const groups = new Map(Array.from(groupsById, ([id, { name }]) => [id, name]));
  return { revision, entries, groups, windows: windows.map(windowOf), sum: null, shown: null };
}

/** The groups, of which a definition may be large. */
async function readGroups(reader: Db, account: string) {
  const groups = new Map<number, ReturnType<typeof groupFacts>>();
  for (let [after, size] = [0, definitionsAtOnce]; size === definitionsAtOnce;) {
    const rows = await selectRows(reader, 'check_groups', { account_id: idBytes(account) })
      .select(['id', 'name', 'activated', 'muted', 'muted_from', 'tags', 'definition'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(definitionsAtOnce)
      .execute();
    for (const row of rows) groups.set(row.id, groupFacts(row));
    after = rows.at(-1)?.id ?? after;
    size = rows.length;
    if (size === definitionsAtOnce) await breathe();
  }
  return groups;
}

/** Columns of the checks without their definitions. */
async function readRows({ reader, dialect, account }: Reading) {
  const query = checkRows(reader, dialect, account)
    .select(['checks.check_type', 'checks.activated', 'checks.muted', 'checks.group_id', 'checks.tags'])
    .select(['heartbeats.period_ms', 'heartbeats.grace_ms'])
    .orderBy('checks.id')
    .limit(checksAtOnce);
  const all = await query.execute();
  for (let size = all.length; size === checksAtOnce;) {
    await breathe();
    const some = await query.where('checks.id', '>', idBytes(idOfDigits(all.at(-1)?.key ?? ''))).execute();
    all.push(...some);
    size = some.length;
  }
  return all;
}

type CheckRow = Awaited<ReturnType<typeof readRows>>[number];

/** Reads new and edited checks. */
async function readDefinitions(
  { reader, dialect, clock, account, targetOf }: Reading,
  rows: readonly CheckRow[],
  before: Known | null,
): Promise<ReadonlyMap<string, Definition>> {
  const definitions = new Map<string, Definition>();
  const edited: CheckRow[] = [];
  for (const row of rows) {
    const known = before?.entries.get(row.key)?.definition;
    if (known !== undefined && known.editedAt === editedAt(row)) definitions.set(row.key, known);
    else edited.push(row);
  }
  for (let start = 0; start < edited.length; start += definitionsAtOnce) {
    if (start > 0) await breathe();
    const some = edited.slice(start, start + definitionsAtOnce);
    const settledTo = clock.now() - settledAfterMs;
    const ids = some.map(({ key }) => idBytes(idOfDigits(key)));
    const found = await selectRows(reader, 'checks', { account_id: idBytes(account) })
      .select([dialect.idDigits('id').$castTo<string>().as('key'), 'definition'])
      .where(dialect.idIn('id', ids))
      .execute();
    const byKey = new Map(some.map((row) => [row.key, row]));
    for (const { key, definition } of found) {
      const row = byKey.get(key);
      if (row === undefined) continue;
      const facts = definitionFacts(row.check_type, definition, targetOf);
      const at = editedAt(row);
      definitions.set(key, { ...facts, editedAt: at < settledTo ? at : null });
    }
  }
  return definitions;
}

const editedAt = ({ created_at, updated_at }: CheckRow): number => updated_at ?? created_at;

function definitionFacts(checkType: string, text: string, targetOf: TargetOf): Omit<Definition, 'editedAt'> {
  interface Stored {
    readonly settings?: JsonObject;
    readonly mutedUntil?: number | null;
    readonly mutedUntilRecovery?: boolean;
    readonly mutedFrom?: number | null;
    readonly frequency?: number;
    readonly frequencyOffset?: number | null;
    readonly triggerIncident?: IncidentTrigger | null;
  }
  const { settings, mutedUntil, mutedUntilRecovery, mutedFrom, frequency, frequencyOffset, triggerIncident } =
    parsed<Stored>(text);
  return {
    url: settings === undefined ? null : targetOf(checkType, settings),
    mutedUntil: mutedUntil ?? 0,
    mutedFrom: mutedUntilRecovery === true ? (mutedFrom ?? null) : null,
    frequencyMs: intervalMs(frequency ?? 0, frequencyOffset ?? null),
    incidentOf: triggerIncident?.serviceId ?? null,
  };
}

/** Checks and groups with a channel that sends failures. */
interface Notifying {
  readonly checks: ReadonlySet<string>;
  readonly groups: ReadonlySet<number>;
}

async function readNotifying(reader: Db, account: string): Promise<Notifying> {
  const [checks, groups] = [new Set<string>(), new Set<number>()];
  const key = { account_id: idBytes(account), send_failure: 1 };
  const sendingFailures = await findRows(reader, 'alert_channels', key, ['id']);
  const channels = new Set(sendingFailures.map(({ id }) => id));
  for (let [after, size] = [0, subscriptionsAtOnce]; size === subscriptionsAtOnce;) {
    const rows = await selectRows(reader, 'subscriptions', { account_id: idBytes(account) })
      .select(['id', 'alert_channel_id', 'check_id', 'group_id', 'activated'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(subscriptionsAtOnce)
      .execute();
    for (const { alert_channel_id, check_id, group_id, activated } of rows) {
      if (activated !== 1 || !channels.has(alert_channel_id)) continue;
      if (check_id !== null) checks.add(idText(check_id));
      if (group_id !== null) groups.add(group_id);
    }
    after = rows.at(-1)?.id ?? after;
    size = rows.length;
    if (size === subscriptionsAtOnce) await breathe();
  }
  return { checks, groups };
}

type GroupRow = Pick<Tables['check_groups'], 'name' | 'activated' | 'muted' | 'muted_from' | 'tags' | 'definition'>;

function groupFacts({ name, activated, muted, muted_from: mutedFrom, tags, definition }: GroupRow) {
  const { mutedUntil, apiCheckDefaults } = parsed<{
    mutedUntil?: number | null;
    apiCheckDefaults?: { readonly url?: string };
  }>(definition);
  const baseUrl = apiCheckDefaults?.url ?? '';
  return {
    name,
    activated,
    muted,
    tags: parsed<string[]>(tags),
    mutedUntil: mutedUntil ?? 0,
    mutedFrom,
    baseUrl,
  };
}

function checkOf(
  row: CheckRow,
  { url: ownUrl, mutedUntil, mutedFrom: ownFrom, frequencyMs, incidentOf }: Definition,
  group: ReturnType<typeof groupFacts> | null,
  received: Notifying,
  state: OverviewCheckState | null,
): OverviewCheck {
  const { name, group_id: groupId, interval_ms, period_ms } = row;
  const checkId = idOfDigits(row.key);
  const tags = parsed<string[]>(row.tags);
  const baseUrl = group?.baseUrl ?? '';
  const url =
    baseUrl === '' || ownUrl === null ? ownUrl : ownUrl.replace(/\{\{\s*GROUP_BASE_URL\s*\}\}/g, () => baseUrl);
  const ownMs = period_ms ?? interval_ms ?? frequencyMs;
  return {
    checkId,
    name,
    checkType: row.check_type,
    tags,
    groupId,
    groupName: group?.name ?? null,
    groupTags: group?.tags ?? [],
    url,
    searchText: [name, ...tags, ...(group?.tags ?? []), url ?? ''].join('\n').toLowerCase(),
    activated: row.activated === 1,
    isActive: row.activated === 1 && (group?.activated ?? 1) === 1,
    isMuted: row.muted === 1 || group?.muted === 1,
    mutedUntil: Math.max(mutedUntil, group?.mutedUntil ?? 0),
    mutedFrom: Math.max(ownFrom ?? 0, group?.mutedFrom ?? 0),
    isNotifying: received.checks.has(checkId) || (groupId !== null && received.groups.has(groupId)),
    frequencyMs: ownMs,
    expectedMs: ownMs + (row.grace_ms ?? 0),
    phaseMs: interval_ms === null ? null : (row.phase_ms ?? 0),
    createdAt: row.created_at,
    incidentOf,
    state,
  };
}

async function readStates({ reader, dialect, account }: Reading, { entries }: Known): Promise<void> {
  const revisionOf = (key: string) => {
    const entry = entries.get(key);
    return entry === undefined ? undefined : entry.revision;
  };
  for await (const ids of changedStates({ reader, dialect }, account, revisionOf)) {
    const rows = await selectRows(reader, 'check_states', { account_id: idBytes(account) })
      .select(dialect.idDigits('check_id').$castTo<string>().as('key'))
      .select([
        'revision',
        'status',
        'since',
        'position_at',
        'last_outcome',
        'last_response_us',
        'incident_id',
        'acknowledged_at',
        'suppressed_by',
        'flapping_since',
        'passed_at',
      ])
      .select((from) => acknowledgedBy(from).as('acknowledged_by'))
      .select(dialect.idDigits('last_result_id').as('last_digits'))
      .where(dialect.idIn('check_id', ids))
      .execute();
    for (const { key, revision, last_digits, ...row } of rows) {
      const entry = entries.get(key);
      // A concurrent read may have a newer one already.
      if (entry === undefined || revision <= (entry.revision ?? -1)) continue;
      entry.revision = revision;
      const state: OverviewCheckState = {
        status: row.status as CheckStatus | null,
        since: row.since,
        verdictAt: row.position_at,
        lastOutcome: row.last_outcome === null ? null : outcomeCodes.decode(row.last_outcome),
        lastAt: last_digits === null ? null : idTime(idBytes(idOfDigits(last_digits))),
        lastResponseMs: row.last_response_us === null ? null : row.last_response_us / 1000,
        incidentId: idTextOrNull(row.incident_id),
        acknowledgedAt: row.acknowledged_at,
        acknowledgedBy: parsedOrNull<Acknowledger>(row.acknowledged_by),
        suppressedBy: parsedOrNull<Suppressor>(row.suppressed_by),
        flappingSince: row.flapping_since,
        passedAt: row.passed_at,
      };
      entry.check = { ...entry.check, state };
    }
  }
}
