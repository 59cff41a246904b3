// Audit log of a PostgreSQL database, written by triggers into a table of its own.
import { idText } from '#store/base/codec.ts';
import { outcomeCodes } from '#store/base/codes.ts';
import { openRawPostgres } from '../../tests/support/store/raw-rows.ts';
import type { Verdict } from './verdict.ts';

/** The audited operations, logged in the same transaction. */
type Happening = 'planned' | 'closed' | 'taken-over' | 'recorded' | 'attempted' | 'sign';

/** An audit entry. `id` is that of a run, a result, a delivery or a process. */
export interface Note {
  /** The later of two entries about the same row has the greater ordinal. */
  readonly order: number;
  readonly what: Happening;
  readonly id: string;
  /** Number of the process that sent a heartbeat, otherwise ''. */
  readonly pid: string;
  /** Epoch ms. */
  readonly at: number;
}

/** Reads the audit log. */
export interface Audit extends Disposable {
  notes(): Note[];
  /** Order in which results were recorded: the check's state is locked while their rows are written. */
  order(): ReadonlyMap<string, number>;
  /** No run is closed, counted or reported twice. */
  judgeOwners(): Verdict;
}

/** For each audited operation: table, event, id, process and condition. */
const watched: readonly [Happening, table: string, on: string, id: string, pid: string, condition: string][] = [
  ['planned', 'runs', 'INSERT', 'NEW.id', `''`, 'NEW.source = 0'],
  ['closed', 'runs', 'DELETE', 'OLD.id', `''`, 'true'],
  [
    'taken-over',
    'runs',
    'UPDATE OF leased_by',
    'NEW.id',
    `''`,
    'OLD.leased_by IS NOT NULL AND NEW.leased_by <> OLD.leased_by',
  ],
  ['recorded', 'results', 'INSERT', 'NEW.id', `''`, 'true'],
  ['attempted', 'attempts', 'INSERT', 'NEW.delivery_id', `''`, 'true'],
  ['sign', 'processes', 'INSERT OR UPDATE', 'NEW.id', 'NEW.pid::text', 'true'],
];

/** Creates the triggers in a database that has its schema. */
export function openAudit(url: string): Audit {
  const db = openRawPostgres(url);
  db.exec(
    `CREATE TABLE chaos_notes (ordinal bigserial, what text NOT NULL, id bytea NOT NULL, pid text NOT NULL,
       at float8 NOT NULL DEFAULT extract(epoch FROM clock_timestamp()) * 1000)`,
  );
  // Each in a transaction of its own: locks of several tables could deadlock with the running processes.
  for (const [what, table, on, id, pid, condition] of watched) {
    db.exec(triggerOf({ what, table, on, id, pid, condition }));
  }
  const notes = (): Note[] =>
    db
      .prepare('SELECT ordinal, what, id, pid, at FROM chaos_notes ORDER BY ordinal')
      .all()
      .map((row) => ({
        order: Number(row['ordinal']),
        what: String(row['what']) as Happening,
        id: idText(row['id'] as Uint8Array),
        pid: String(row['pid']),
        at: Number(row['at']),
      }));
  return {
    notes,
    order: () => new Map(notes().flatMap(({ what, id, order }) => (what === 'recorded' ? [[id, order]] : []))),
    judgeOwners() {
      const all = notes();
      const closed = all.filter(({ what }) => what === 'closed');
      const takenOver = all.filter(({ what }) => what === 'taken-over').length;
      const twice = [...Map.groupBy(closed, ({ id }) => id)].filter(([, times]) => times.length > 1);
      return {
        guarantee: `a run is never recorded by two owners (${takenOver} taken over)`,
        checked: closed.length,
        violations: [
          ...twice.map(([id, times]) => `run ${id} was closed ${times.length} times`),
          ...miscounted(db),
          ...notifiedTwice(db),
        ],
      };
    },
    [Symbol.dispose]: () => db.close(),
  };
}

function triggerOf(watch: { what: string; table: string; on: string; id: string; pid: string; condition: string }) {
  const name = `chaos_${watch.what.replace('-', '_')}`;
  return `
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO chaos_notes (what, id, pid) VALUES ('${watch.what}', ${watch.id}, ${watch.pid}); RETURN NULL;
    END $$;
    CREATE TRIGGER ${name} AFTER ${watch.on} ON ${watch.table} FOR EACH ROW WHEN (${watch.condition})
      EXECUTE FUNCTION ${name}();`;
}

/** A second owner would record the result under the same key, but count it twice. */
function miscounted(db: ReturnType<typeof openRawPostgres>): string[] {
  const rows = db.prepare('SELECT outcome, sum(slots) AS n FROM results WHERE run_id IS NULL GROUP BY outcome').all();
  const recorded = new Map(rows.map((row) => [outcomeCodes.decode(Number(row['outcome'])), Number(row['n'])]));
  const names = ['passed', 'degraded', 'failed', 'unknown', 'missed'] as const;
  const sums = db
    .prepare(`SELECT ${names.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM account_counts`)
    .get();
  return names.flatMap((name) => {
    const [counted, there] = [Number(sums?.[name] ?? 0), recorded.get(name) ?? 0];
    return counted === there ? [] : [`${counted} slots are counted as ${name}, but ${there} are recorded`];
  });
}

function notifiedTwice(db: ReturnType<typeof openRawPostgres>): string[] {
  return db
    .prepare(
      'SELECT result_id, alert_type, count(*) AS n FROM alerts GROUP BY result_id, alert_type HAVING count(*) > 1',
    )
    .all()
    .map(
      (row) =>
        `result ${idText(row['result_id'] as Uint8Array)} raised ${Number(row['n'])} ${String(row['alert_type'])}`,
    );
}
