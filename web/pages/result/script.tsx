// Details of a script run: errors, steps, output, and console output of its pages.
import { useState } from 'react';
import type { ScriptEvidence } from '#checks/show.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { milliseconds, withoutColours } from '../../ui/text/format.ts';
import { type OutputLine, OutputLines } from '../../ui/checks/output-lines.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { text } from './strings.ts';
import { Waterfall } from './waterfall.tsx';
import css from './result.module.css';

export function Script({ part }: { readonly part: ScriptEvidence }) {
  return (
    <>
      {part.warnings.length > 0 && (
        <Section title={text.warnings}>
          {part.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Section>
      )}
      <Steps part={part} />
      {part.webVitals.length > 0 && <Vitals vitals={part.webVitals} />}
      <Lines title={text.scriptLog} lines={part.jobLog ?? []} />
      <Lines title={text.pageLog} lines={part.pageLines} />
    </>
  );
}

export function Errors({ part }: { readonly part: ScriptEvidence }) {
  if (part.errors.length === 0) return null;
  return (
    <Section title={text.failures}>
      <div className={css['stack']}>
        {part.errors.map(({ message, file, line, column }, index) => (
          <div key={index}>
            {file !== null && (
              <h3 className="mono">{[file, line, column].filter((place) => place !== null).join(':')}</h3>
            )}
            <Code label={`${text.failures} ${index + 1}`} text={withoutColours(message)} />
          </div>
        ))}
      </div>
    </Section>
  );
}

const named: ReadonlySet<string> = new Set(['test', 'test.step']);
const stepColours: Readonly<Record<string, string>> = {
  test: 'var(--text-2)',
  'test.step': 'var(--phase-2)',
  expect: 'var(--phase-1)',
};

function Steps({ part: { steps } }: { readonly part: ScriptEvidence }) {
  const [isWhole, setWhole] = useState(false);
  if (steps === null || steps.length === 0) return null;
  const sorted = steps.toSorted((one, other) => one.startMs - other.startMs || other.durationMs - one.durationMs);
  const isLong = sorted.length > 40;
  const shown = isWhole || !isLong ? sorted : sorted.filter((step) => named.has(step.category) || step.error !== null);
  return (
    <Section title={text.steps}>
      <Waterfall
        label={text.steps}
        spans={shown.map(({ title, category, startMs, durationMs, error }) => ({
          name: title,
          startMs,
          durationMs,
          endMs: category === 'test' ? endOf(startMs, durationMs, sorted) : startMs + durationMs,
          depth: category === 'test' ? 0 : depthOf(startMs, sorted),
          colour: error === null ? (stepColours[category] ?? 'var(--phase-3)') : 'var(--failing-mark)',
          hasFailed: error !== null,
          isQuiet: !named.has(category),
        }))}
      />
      {isLong && !isWhole && (
        <Button kind="quiet" onPress={() => setWhole(true)}>
          {text.hiddenSteps} ({sorted.length})
        </Button>
      )}
    </Section>
  );
}

type Step = NonNullable<ScriptEvidence['steps']>[number];

/** End of a test including cleanup, which Playwright does not count: that of its last step before the next test. */
function endOf(startMs: number, durationMs: number, steps: readonly Step[]): number {
  const next = steps.find((step) => step.category === 'test' && step.startMs > startMs)?.startMs ?? Infinity;
  const own = steps.filter((step) => step.startMs >= startMs && step.startMs < next);
  return Math.max(startMs + durationMs, ...own.map((step) => step.startMs + step.durationMs));
}

/** Number of named steps that contain a step, and its test. */
function depthOf(startMs: number, steps: readonly Step[]): number {
  const isAround = (step: Step): boolean => step.startMs < startMs && step.startMs + step.durationMs > startMs;
  return 1 + steps.filter((step) => step.category === 'test.step' && isAround(step)).length;
}

type Vital = ScriptEvidence['webVitals'][number];

function Vitals({ vitals }: { readonly vitals: readonly Vital[] }) {
  const names = [...new Set(vitals.flatMap((page) => Object.keys(page.vitals)))];
  return (
    <Section title={text.vitals}>
      <Table
        label={text.vitals}
        rows={vitals.map((page, index) => ({ ...page, index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { id: 'page', title: text.page, isName: true, cell: ({ url }) => url },
          ...names.map((name) => ({
            id: name,
            title: name,
            isNumber: true,
            cell: ({ vitals: values }: Vital) => {
              const value = values[name];
              if (value === undefined) return text.none;
              return name === 'CLS' ? value.toFixed(3) : milliseconds(value);
            },
          })),
        ]}
      />
    </Section>
  );
}

export function Lines({ title, lines }: { readonly title: string; readonly lines: readonly OutputLine[] }) {
  if (lines.length === 0) return null;
  return (
    <Section title={title}>
      <OutputLines label={text.linesOf(title)} lines={lines} />
    </Section>
  );
}
