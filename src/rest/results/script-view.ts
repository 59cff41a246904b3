// Builds the script part of a result page: errors, screenshots, steps and output.
import type { ShownResult } from '#actions/results/check-results.ts';
import type { CheckResultBody } from '#contract/results/check-result.ts';

/** Content of the page for a script run. Texts are untrusted; secrets must have been redacted. */
export interface ScriptView {
  /** Warnings about the runtime and about data that was not stored. */
  readonly warnings: readonly string[];
  readonly errors: readonly { readonly message: string; readonly place: string | null }[];
  readonly screenshots: readonly { readonly address: string; readonly name: string }[];
  /** Assets that require a key to download. */
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly path: string }[];
  /** Ordered by start; null = only the outcome is stored. */
  readonly steps: readonly ViewedStep[] | null;
  readonly vitals: readonly { readonly url: string; readonly values: readonly (readonly [string, string])[] }[];
  readonly output: readonly ViewedLine[];
  /** Console output and uncaught errors of pages. */
  readonly pages: readonly ViewedLine[];
}

/** A step of a test; times in ms. */
export interface ViewedStep {
  readonly title: string;
  /** Whether it is a test or a named step, not a single call or comparison. */
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

/** @param link the last path segment of the page, from which the URLs of its screenshots are derived */
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
