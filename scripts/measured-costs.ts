// The unit costs of docs/scale.md that are measured, as docs/performance.md says them: one page is as new as the other.

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

/** Each by its name in docs/scale.md. */
const places: Readonly<Record<string, Place>> = {
  cpu_check: { ...checkCpu, number: 1 },
  cpu_database: { ...checkCpu, number: 2 },
  cpu_deliverer: { ...deliveryCpu, number: 1 },
  cpu_database_delivery: { ...deliveryCpu, number: 2 },
  // A percent of a core at 1,000 results a second is as many hundredths of a second for 1,000 results.
  cpu_roll_up: { figure: 'rolling up at 1,000 results a second, of a core', cell: 2, number: 1, of: 1, times: 100 },
  turn_ms: { ...turn, number: 1 },
  turn_slow_ms: { ...turn, number: 2 },
  roll_up_rate: { figure: 'results rolled up a second at most', cell: 2, number: 1, of: 1 },
  rate_of_runner: { figure: 'recorded checks a second', cell: 1, number: 1, of: 1 },
};

/**
 * The measured unit costs, by name.
 *
 * @param performance the text of docs/performance.md
 * @throws {Error} for a row that is not there exactly once, and for a cell with fewer or more numbers than are expected
 */
export function measuredCosts(performance: string): Readonly<Record<string, number>> {
  const rows = performance.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.split('|').map(trimmed)] : []));
  return Object.fromEntries(
    Object.entries(places).map(([name, { figure, cell, number, of, times = 1 }]) => {
      const found = rows.filter(([, first]) => first === figure);
      if (found.length !== 1)
        throw new Error(`docs/performance.md has ${found.length} rows "${figure}": ${name} is there`);
      const text = found[0]?.[cell + 1] ?? '';
      const numbers = text.match(/\d[\d,]*(?:\.\d+)?/g) ?? [];
      if (numbers.length !== of) throw new Error(`"${figure}": ${of} numbers are expected in "${text}", for ${name}`);
      return [name, Number(numbers[number - 1]?.replaceAll(',', '')) / times];
    }),
  );
}

function trimmed(text: string): string {
  return text.trim();
}
