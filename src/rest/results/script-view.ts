// What the page of a result shows of a script: what failed, what was seen, its steps, and what it and its pages said.
import type { ShownResult } from '#actions/results/check-results.ts';
import type { CheckResultBody } from '#contract/results/check-result.ts';

/** What the page shows of a run of a script. Texts are untrusted; secrets must have been taken out before. */
export interface ScriptView {
  /** What is to be known of the runtime, and what was not kept. */
  readonly warnings: readonly string[];
  readonly errors: readonly { readonly message: string; readonly place: string | null }[];
  readonly screenshots: readonly { readonly address: string; readonly name: string }[];
  /** Assets that are downloaded with a key. */
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly path: string }[];
  /** In the order in which they began; null = only the outcome of this result was kept. */
  readonly steps: readonly ViewedStep[] | null;
  readonly vitals: readonly { readonly url: string; readonly values: readonly (readonly [string, string])[] }[];
  readonly output: readonly ViewedLine[];
  /** What pages wrote, and what went wrong in them by itself. */
  readonly pages: readonly ViewedLine[];
}

/** One step of a test; times in ms. */
export interface ViewedStep {
  readonly title: string;
  /** Of a test itself, and of what was named in it, but not of the single calls and comparisons. */
  readonly isNamed: boolean;
  readonly startMs: number;
  readonly durationMs: number;
  readonly hasFailed: boolean;
}

/** A line of output. */
export interface ViewedLine {
  readonly text: string;
  readonly isError: boolean;
}

type ScriptPart = NonNullable<CheckResultBody['multiStepCheckResult']>;
type BrowserPart = NonNullable<CheckResultBody['browserCheckResult']>;

const namedSteps: ReadonlySet<string> = new Set(['test', 'test.step']);

/** @param link the last part of the address of the page, from which those of its screenshots are told */
export function scriptView(
  part: ScriptPart | BrowserPart,
  { result, assets }: Pick<ShownResult, 'result' | 'assets'>,
  link: string,
): ScriptView {
  const screenshots = assets.filter(({ sort }) => sort === 'screenshot');
  const page = 'webVitals' in part ? part : null;
  const linesOfPages = [...(page?.pageErrors ?? []).map(asError), ...(page?.console ?? [])];
  return {
    warnings: part.warnings,
    errors: part.errors.map(({ message, file, line }) => ({
      message,
      place: file === null ? null : [file, line].filter((word) => word !== null).join(':'),
    })),
    screenshots: screenshots.map(({ number, name }) => ({ address: `${link}/screenshots/${number}`, name })),
    files: assets
      .filter(({ sort }) => sort !== 'screenshot')
      .map(({ number, name, sort, bytes }) => ({
        name: name === sort ? sort : `${sort} ${name}`,
        bytes,
        path: `/v1/check-results/${result.checkId}/${result.id}/assets/${number}`,
      })),
    steps: stepsOf(part),
    vitals: (page?.webVitals ?? []).map(({ url, vitals }) => ({ url, values: Object.entries(vitals).map(vitalText) })),
    output: (part.jobLog ?? []).map(({ level, msg }) => ({ text: msg, isError: level === 'ERROR' })),
    pages: linesOfPages
      .toSorted((one, other) => one.time - other.time)
      .map(({ level, msg }) => ({ text: `${level}: ${msg}`, isError: level === 'error' })),
  };
}

function stepsOf({ steps }: ScriptPart | BrowserPart): ScriptView['steps'] {
  if (steps === null) return null;
  return steps
    .map(({ title, category, startMs, durationMs, error }) => ({
      title,
      isNamed: namedSteps.has(category),
      startMs,
      durationMs,
      hasFailed: error !== null,
    }))
    .toSorted((one, other) => one.startMs - other.startMs || other.durationMs - one.durationMs);
}

function asError<Line extends { readonly level: string }>(line: Line): Line {
  return { ...line, level: 'error' };
}

function vitalText([name, value]: [string, number]): [string, string] {
  return [name, name === 'CLS' ? value.toFixed(3) : `${Math.round(value)} ms`];
}
