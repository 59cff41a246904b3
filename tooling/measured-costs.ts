// The unit costs of docs/scale.md that stand elsewhere, so that none can differ from there: those that docs/performance.md has
// measured, what deploy/kubernetes/ gives to pods, and how long the code keeps roll-ups.
import { aroundLimits, browserLimits, programLimits } from '#domain/checks/script-limits.ts';
import { daysKeptDays, hoursKeptDays } from '#domain/results/roll-up.ts';
import { type Fields, listOf, textAt } from '../tests/support/deploy-files.ts';
import { containerOf, deployments, roleOf } from '../tests/support/manifests.ts';

/** Where a number stands among the tables of docs/performance.md. */
interface Place {
  /** The first cell of its row. */
  readonly figure: string;
  /** Its cell among those behind that, from 1. */
  readonly cell: number;
  /** Which number of the cell, of how many there are. */
  readonly number: 1 | 2;
  readonly of: 1 | 2;
  /** How many times the unit cost it is; absent = once. */
  readonly times?: number;
}

const checkCpu = { figure: 'CPU per 1,000 checks: service, PostgreSQL', cell: 1, of: 2 } as const;
const deliveryCpu = { figure: 'CPU per 1,000 deliveries: service, PostgreSQL', cell: 1, of: 2 } as const;
/** Of a million schedules: half of all turns, and one in twenty. */
const turn = { figure: 'PostgreSQL: turn of 500, runs made', cell: 2, of: 2 } as const;

/** A percent of a core at 1,000 results a second is as many hundredths of a second for 1,000 results. */
const rollUpCpu = { cell: 2, times: 100 } as const;

/** Each by its name in docs/scale.md; of several the highest. */
const places: Readonly<Record<string, Place | readonly Place[]>> = {
  cpu_check: { ...checkCpu, number: 1 },
  cpu_database: { ...checkCpu, number: 2 },
  cpu_deliverer: { ...deliveryCpu, number: 1 },
  cpu_database_delivery: { ...deliveryCpu, number: 2 },
  cpu_roll_up: [
    { ...rollUpCpu, figure: 'rolling up at 1,000 results a second, of a core', number: 1, of: 1 },
    { ...rollUpCpu, figure: 'the same of a day of results that differ as real ones do (below)', number: 2, of: 2 },
  ],
  turn_ms: { ...turn, number: 1 },
  turn_slow_ms: { ...turn, number: 2 },
  roll_up_rate: { figure: 'results rolled up a second at most', cell: 2, number: 1, of: 1 },
  rate_of_runner: { figure: 'recorded checks a second', cell: 1, number: 1, of: 1 },
};

/**
 * Every unit cost that stands elsewhere, by name.
 *
 * @param performance the text of docs/performance.md
 * @throws {Error} as those it is made of
 */
export function unitCosts(performance: string): Readonly<Record<string, number>> {
  return { ...measuredCosts(performance), ...deployedCosts(deployments), ...keptDays };
}

/** Days for which roll-ups are kept: those of hours, and those of days. */
export const keptDays = { roll_up_days: hoursKeptDays, roll_up_day_days: daysKeptDays } as const;

/**
 * The measured unit costs, by name.
 *
 * @param performance the text of docs/performance.md
 * @throws {Error} for a row that is not there exactly once, and for a cell with fewer or more numbers than are expected
 */
export function measuredCosts(performance: string): Readonly<Record<string, number>> {
  const rows = performance.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.split('|').map(trimmed)] : []));
  return Object.fromEntries(
    Object.entries(places).map(([name, where]) => {
      const found = (Array.isArray(where) ? where : [where]).map((place: Place) => numberAt(rows, place, name));
      return [name, Math.max(...found)];
    }),
  );
}

function numberAt(
  rows: readonly (readonly string[])[],
  { figure, cell, number, of, times = 1 }: Place,
  name: string,
): number {
  const found = rows.filter(([, first]) => first === figure);
  if (found.length !== 1) throw new Error(`docs/performance.md has ${found.length} rows "${figure}": ${name} is there`);
  const text = found[0]?.[cell + 1] ?? '';
  const numbers = text.match(/\d[\d,]*(?:\.\d+)?/g) ?? [];
  if (numbers.length !== of) throw new Error(`"${figure}": ${of} numbers are expected in "${text}", for ${name}`);
  return Number(numbers[number - 1]?.replaceAll(',', '')) / times;
}

function trimmed(text: string): string {
  return text.trim();
}

/**
 * The memory of pods, GB (10⁹ bytes), and how many scripts a runner runs at once. A runner of checks without scripts needs what the
 * runner has beside its scripts, so many in each lane.
 *
 * @param deployed the deployments of deploy/kubernetes/
 * @throws {Error} when there is not one runner among them, or something else; for a quantity that is not of memory
 */
export function deployedCosts(deployed: readonly Fields[]): Readonly<Record<string, number>> {
  const [runner, ...others] = deployed.toSorted(
    (a, b) => Number(roleOf(b) === 'runner') - Number(roleOf(a) === 'runner'),
  );
  if (runner === undefined || roleOf(runner) !== 'runner' || others.length === 0)
    throw new Error('deploy/kubernetes has no runner, or nothing else');
  const atOnce = listOf(containerOf(runner)['env']).find(({ name }) => name === 'TOCSIN_SCRIPTS_AT_ONCE');
  const browsers = Number(textAt(atOnce ?? {}, 'value'));
  const gigabyte = 1e9;
  const scriptsBytes = [browserLimits, programLimits, aroundLimits].reduce((sum, each) => sum + each.memoryBytes, 0);
  return {
    browsers_at_once: browsers,
    memory_process: Math.max(...others.map(memoryBytes)) / gigabyte,
    memory_runner: (memoryBytes(runner) - browsers * scriptsBytes) / gigabyte,
    memory_browser_runner: memoryBytes(runner) / gigabyte,
  };
}

/** What a pod asks for: a node has to have it free. */
function memoryBytes(deployment: Fields): number {
  const text = textAt(containerOf(deployment), 'resources', 'requests', 'memory');
  const [, count, unit] = /^(\d+)([MG])i$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`${text} is no memory in Mi or Gi`);
  return Number(count) * 2 ** (unit === 'G' ? 30 : 20);
}
