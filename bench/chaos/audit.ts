// What happens in a PostgreSQL database, noted by the database itself while processes come and go: a table of chaos's own.
import { idText } from '#store/base/codec.ts';
import { outcomeCodes } from '#store/base/codes.ts';
import { openRawPostgres } from '../../tests/support/store/raw-rows.ts';
import type { Verdict } from './verdict.ts';

/** What is noted, in the transaction that does it. */
type Happening = 'planned' | 'closed' | 'taken-over' | 'recorded' | 'attempted' | 'sign';

/** One note; whose it is, is an id of a run, a result, a delivery or a process. */
export interface Note {
  /** Of two notes about the same row the greater was made later. */
  readonly order: number;
  readonly what: Happening;
  readonly id: string;
  /** The number of the process that gave a sign of life; else ''. */
  readonly pid: string;
  /** Epoch ms. */
  readonly at: number;
}

/** The open notes. */
export interface Audit extends Disposable {
  notes(): Note[];
  /** In which order results were recorded: the check's state is held when their rows are written. */
  order(): ReadonlyMap<string, number>;
  /** No run is closed twice, counted twice, or tells twice. */
  judgeOwners(): Verdict;
}

/** Each thing that is noted: the table, when, the id, the process, and on what condition. */
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

/** Begins to note, in a database whose schema is made. */
export function openAudit(url: string): Audit {
  const door = openRawPostgres(url);
  door.exec(
    `CREATE TABLE chaos_notes (ordinal bigserial, what text NOT NULL, id bytea NOT NULL, pid text NOT NULL,
       at float8 NOT NULL DEFAULT extract(epoch FROM clock_timestamp()) * 1000);
     ${watched.map(([what, table, on, id, pid, condition]) => triggerOf({ what, table, on, id, pid, condition })).join('\n')}`,
  );
  const notes = (): Note[] =>
    door
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
        promise: `two owners never both record a run (${takenOver} taken over)`,
        tried: closed.length,
        breaches: [
          ...twice.map(([id, times]) => `run ${id} was closed ${times.length} times`),
          ...miscounted(door),
          ...notifiedTwice(door),
        ],
      };
    },
    [Symbol.dispose]: () => door.close(),
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

/** A result that a second owner records has the same key as that of the first; but it is counted once more. */
function miscounted(door: ReturnType<typeof openRawPostgres>): string[] {
  const rows = door.prepare('SELECT outcome, sum(slots) AS n FROM results WHERE run_id IS NULL GROUP BY outcome').all();
  const recorded = new Map(rows.map((row) => [outcomeCodes.decode(Number(row['outcome'])), Number(row['n'])]));
  const names = ['passed', 'degraded', 'failed', 'unknown', 'missed'] as const;
  const sums = door
    .prepare(`SELECT ${names.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM run_counts`)
    .get();
  return names.flatMap((name) => {
    const [counted, there] = [Number(sums?.[name] ?? 0), recorded.get(name) ?? 0];
    return counted === there ? [] : [`${counted} slots are counted as ${name}, and ${there} are recorded so`];
  });
}

function notifiedTwice(door: ReturnType<typeof openRawPostgres>): string[] {
  return door
    .prepare(
      'SELECT result_id, alert_type, count(*) AS n FROM alerts GROUP BY result_id, alert_type HAVING count(*) > 1',
    )
    .all()
    .map(
      (row) =>
        `result ${idText(row['result_id'] as Uint8Array)} raised ${Number(row['n'])} ${String(row['alert_type'])}`,
    );
}
