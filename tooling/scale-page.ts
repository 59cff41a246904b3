// The page docs/scale.md: its derived numbers, computed anew from the table of unit costs that the page itself begins with, and
// those of them that stand elsewhere.

/** The columns of a table of derived numbers: checks a minute. */
const sizes = [100_000, 1_000_000];
const derivedHead = /^\| What \| Formula \| 100,000 a minute \| 1,000,000 a minute \|$/;

type Names = Readonly<Record<string, number>>;

/**
 * The page with every unit cost as it stands elsewhere, and every derived number as its formula gives it. A row of unit costs is
 * `| \`name\` | value | … |`; a formula is `name = expression` over names that stand above it, and `checks`, the checks a minute of
 * its column.
 *
 * @param costs the unit costs that stand elsewhere, by name
 * @throws {Error} for a name that is not there, what is no expression, and a cost without a row
 */
export function scalePage(text: string, costs: Names): string {
  const lines = withCosts(text, costs).split('\n');
  const start = lines.findIndex((line) => line.startsWith('| Unit '));
  const units: Record<string, number> = {};
  for (const line of lines.slice(start + 2)) {
    const [, name, value] = /^\| `(\w+)` \| ([\d,.]+) \|/.exec(line) ?? [];
    if (name === undefined || value === undefined) break;
    units[name] = Number(value.replaceAll(',', ''));
  }
  if (Object.keys(units).length === 0) throw new Error('there is no table of unit costs');
  const columns = sizes.map((checks): Record<string, number> => ({ ...units, checks }));
  let isDerived = false;
  const written = lines.map((line) => {
    isDerived = derivedHead.test(line) || (isDerived && line.startsWith('|'));
    const [, what, name, expression] = isDerived ? (/^\| (.*) \| `(\w+) = ([^`]+)` \|/.exec(line) ?? []) : [];
    if (what === undefined || name === undefined || expression === undefined) return line;
    const numbers = columns.map((names) => shown((names[name] = valueOf(expression, names))));
    return `| ${what} | \`${name} = ${expression}\` | ${numbers.join(' | ')} |`;
  });
  return written.join('\n');
}

function withCosts(text: string, costs: Names): string {
  return Object.entries(costs).reduce((page, [name, value]) => {
    const row = new RegExp(`^\\| \`${name}\` \\| [\\d,.]+ \\|`, 'm');
    if (!row.test(page)) throw new Error(`there is no row of ${name}`);
    return page.replace(row, `| \`${name}\` | ${shown(value)} |`);
  }, text);
}

/** Three digits that count; whole from a hundred on. */
function shown(value: number): string {
  return value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}

/** The value of an expression of names, numbers, + - * /, parentheses, `ceil(…)` and `max(…, …)`. */
export function valueOf(expression: string, names: Names): number {
  const words = expression.match(/[a-zA-Z_]\w*|\d[\d.]*|\S/g) ?? [];
  let next = 0;
  const take = (wanted?: string): string => {
    const word = words[next++];
    if (word === undefined || (wanted !== undefined && word !== wanted)) {
      throw new Error(`${expression}: ${wanted ?? 'more'} was expected, not ${word ?? 'the end'}`);
    }
    return word;
  };
  const operand = (): number => {
    const word = take();
    if (/^\d/.test(word)) return Number(word);
    if (word === '(' || word === 'ceil' || word === 'max') {
      if (word !== '(') take('(');
      const values = [sum()];
      while (words[next] === ',') {
        take(',');
        values.push(sum());
      }
      take(')');
      return word === 'ceil' ? Math.ceil(Math.max(...values)) : Math.max(...values);
    }
    const value = names[word];
    if (value === undefined) throw new Error(`${expression}: ${word} is not known`);
    return value;
  };
  const chain = (
    inner: () => number,
    up: string,
    down: string,
    apply: (a: number, b: number, isUp: boolean) => number,
  ) => {
    let value = inner();
    for (;;) {
      const word = words[next];
      if (word !== up && word !== down) return value;
      take();
      value = apply(value, inner(), word === up);
    }
  };
  const product = (): number => chain(operand, '*', '/', (a, b, isUp) => (isUp ? a * b : a / b));
  const sum = (): number => chain(product, '+', '-', (a, b, isUp) => (isUp ? a + b : a - b));
  const value = sum();
  if (next < words.length) throw new Error(`${expression}: ${words[next]} was not expected`);
  return value;
}
