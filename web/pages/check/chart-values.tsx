// The values of the chart as text: at the cursor, and all of them as a table.
import { milliseconds } from '../../ui/text/format.ts';
import { outcomeWord } from '../../ui/checks/state.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { At } from '../../ui/text/time.tsx';
import type { ChartData } from './chart-data.ts';
import { text } from './strings.ts';
import css from './check.module.css';

/** Exact values at a time. @param index null = of the latest time with a value */
export function Readout({ data, index }: { readonly data: ChartData; readonly index: number | null }) {
  const latest = data.times.findLastIndex((_, at) => data.series.some(({ values }) => values[at] != null));
  const at = index ?? latest;
  const time = data.times[at];
  const result = data.results?.[at];
  return (
    <dl className={css['readout']}>
      <div>
        <dt>{index === null ? text.latest : text.time}</dt>
        <dd>{time === undefined ? text.noValue : <At at={time} precise={data.results !== null} />}</dd>
      </div>
      {data.series.map(({ name, colour, look, values }) => {
        const value = values[at];
        return (
          <div key={name}>
            <dt>
              <span className={css['swatch']} data-look={look} style={{ color: colour }} aria-hidden /> {name}
            </dt>
            <dd>{value == null ? text.noValue : milliseconds(value)}</dd>
          </div>
        );
      })}
      {result != null && result.outcome !== 'passed' && (
        <div>
          <dt>{text.outcome}</dt>
          <dd>{outcomeWord(result.outcome)}</dd>
        </div>
      )}
    </dl>
  );
}

export function ChartTable({
  label,
  data,
  hint,
}: {
  readonly label: string;
  readonly data: ChartData;
  readonly hint: string;
}) {
  const rows = data.times.map((time, index) => ({ time, index })).toReversed();
  return (
    <details className={css['details']}>
      <summary>
        {text.asTable} <span className={`quiet ${css['hint']}`}>{hint}</span>
      </summary>
      <div className={css['scroll']} tabIndex={0} role="region" aria-label={text.asTable}>
        <Table
          label={label}
          rows={rows}
          keyOf={({ index }) => String(index)}
          columns={[
            { id: 'time', title: text.time, isName: true, cell: ({ time }) => <At at={time} /> },
            ...data.series.map(({ name, values }) => ({
              id: name,
              title: name,
              isNumber: true,
              cell: ({ index }: { readonly index: number }) => {
                const value = values[index];
                return value == null ? text.noValue : milliseconds(value);
              },
            })),
            { id: 'failed', title: text.outcome, cell: ({ index }) => (data.failed[index] ? text.failed : '') },
          ]}
        />
      </div>
    </details>
  );
}
