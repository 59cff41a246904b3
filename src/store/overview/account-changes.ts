// Finds changes in an account since the last poll, using indexes only, for live updates.
import { selectRows } from '../base/rows.ts';
import type { LiveChange } from '#domain/results/live-change.ts';
import { sql } from 'kysely';
import { idBytes, idOfDigits } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { changedStates } from '../history/state-revisions.ts';

/** Changes of an account since the last poll; all IDs are listed. */
export type AccountChange = LiveChange & Readonly<Record<'states' | 'results', readonly string[]>>;

/** Maximum number of waiting deliveries to compare; if there are more, every poll reports a change. */
const maxWaiting = 1000;

/** Cached state of a check. */
interface KnownState {
  readonly revision: number;
  readonly status: string | null;
  readonly since: number | null;
  readonly acknowledgedAt: number | null;
  /** Number of the last poll that found it. */
  seenIn: number;
}

/** Polls an account. */
export function createAccountChanges({ reader, dialect }: Database) {
  return {
    /** Creates a poller, whose first poll finds nothing. */
    open(accountId: string): { next(): Promise<AccountChange> } {
      const states = new Map<string, KnownState>();
      let [facts, look]: [Facts | null, number] = [null, 0];
      return {
        async next() {
          const found = await readFacts(reader, accountId);
          const before = facts;
          const isOther = (name: keyof Facts): boolean => before !== null && before[name] !== found[name];
          const isMoved = before?.states !== found.states;
          const moved = isMoved ? await readMoved({ reader, dialect }, accountId, states, ++look) : nothingMoved;
          facts = found;
          return {
            ...(before === null ? nothingMoved : moved),
            deliveries:
              isOther('deliveries') ||
              isOther('waiting') ||
              isOther('digests') ||
              Number(found.waitingCount) >= maxWaiting,
            alerts: isOther('alerts'),
            checks: isOther('revision'),
            notices: isOther('revision') || isOther('channels') || isOther('storm'),
          };
        },
      };
    },
  };
}

const nothingMoved: Pick<AccountChange, 'states' | 'results'> = { states: [], results: [] };

type Facts = Awaited<ReturnType<typeof readFacts>>;

/** One statement: each value changes when its data does. */
async function readFacts(reader: Db, accountId: string) {
  const account = idBytes(accountId);
  const newestOf = (table: 'alerts' | 'deliveries') =>
    reader.selectFrom(table).select('id').where('account_id', '=', account).orderBy('id', 'desc').limit(1);
  const waiting = selectRows(reader, 'deliveries', {
    account_id: account,
    status: deliveryStatusCodes.encode('pending'),
  })
    .select('next_attempt_at')
    .limit(maxWaiting);
  const row = await reader
    .selectNoFrom([
      selectRows(reader, 'counters', { account_id: account, noun: 'revision' }).select('last').as('revision'),
      selectRows(reader, 'check_states', { account_id: account })
        .select(sql<number>`sum(revision)`.as('sum'))
        .as('states'),
      newestOf('alerts').as('alert'),
      newestOf('deliveries').as('delivery'),
      reader
        .selectFrom(waiting.as('waiting'))
        .select(sql<string>`concat(count(*), '/', sum(next_attempt_at))`.as('text'))
        .as('waiting'),
      // A digest that collects alerts is not waiting yet.
      selectRows(reader, 'alert_storms', { account_id: account }).select('channels').as('digests'),
      selectRows(reader, 'alert_storms', { account_id: account }).select('started_at').as('storm'),
      selectRows(reader, 'alert_channels', { account_id: account })
        .select(sql<string>`concat(count(failing_since), '/', sum(failing_since))`.as('text'))
        .as('channels'),
    ])
    .executeTakeFirstOrThrow();
  const { alert, delivery, waiting: text, ...rest } = row;
  return {
    ...rest,
    alerts: digitsOf(alert),
    deliveries: digitsOf(delivery),
    waiting: text,
    waitingCount: text?.split('/', 1)[0] ?? '0',
  };
}

const digitsOf = (id: Uint8Array | null): string | null => (id === null ? null : Buffer.from(id).toString('hex'));

/** Reads and caches the states that have changed. */
async function readMoved(
  database: Pick<Database, 'reader' | 'dialect'>,
  accountId: string,
  states: Map<string, KnownState>,
  look: number,
): Promise<Pick<AccountChange, 'states' | 'results'>> {
  const { reader, dialect } = database;
  const [changed, results]: [string[], string[]] = [[], []];
  let seen = 0;
  const revisionOf = (key: string): number | null => {
    seen++;
    const known = states.get(key);
    if (known === undefined) return null;
    known.seenIn = look;
    return known.revision;
  };
  for await (const ids of changedStates(database, accountId, revisionOf)) {
    const rows = await selectRows(reader, 'check_states', { account_id: idBytes(accountId) })
      .select(dialect.idDigits('check_id').$castTo<string>().as('key'))
      .select(['revision', 'status', 'since', 'acknowledged_at'])
      .where(dialect.idIn('check_id', ids))
      .execute();
    for (const { key, revision, status, since, acknowledged_at: acknowledgedAt } of rows) {
      const before = states.get(key);
      const id = idOfDigits(key);
      results.push(id);
      const isSame = before?.status === status && before.since === since && before.acknowledgedAt === acknowledgedAt;
      if (!isSame) changed.push(id);
      states.set(key, { revision, status, since, acknowledgedAt, seenIn: look });
    }
  }
  // Deleted checks.
  if (states.size > seen) for (const [key, { seenIn }] of states) if (seenIn !== look) states.delete(key);
  return { states: changed, results };
}
