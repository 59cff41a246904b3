// Formats a stored result of a scripted check for the API (reference §4.7: multiStepCheckResult).
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { list, number, object, text } from '../read.ts';

/** Formats what a running script has reported. @param startedAt epoch ms */
export function describeProgress(startedAt: number, exchange: JsonObject): JsonObject {
  return {
    openStep: text(exchange['openStep']) || null,
    steps: list(exchange['steps']),
    jobLog: outputLines(exchange, startedAt),
    pageLines: list(exchange['pageLines']).map((line) => ({
      ...consoleLine(line, startedAt),
      ...(line['sort'] === 'error' && { level: 'error' }),
    })),
    isCut: exchange['isCut'] === true,
  };
}

/** The script's part of a result. Steps and output are included if stored. */
export function describeScripted(details: JsonValue, exchange: JsonObject | null): JsonObject {
  // A run without a script, for example because its runtime is missing, has no details.
  const known = object(details);
  const startedAt = number(known['startedAt']);
  return {
    runtimeVersion: text(known['runtime']) || null,
    nodeJsVersion: text(known['node']) || null,
    warnings: textsOf(known['warnings']),
    startTime: startedAt === 0 ? null : startedAt,
    endTime: number(known['stoppedAt']) || null,
    tests: number(known['tests']),
    failedTests: number(known['failedTests']),
    errors: list(known['errors']),
    steps: exchange === null ? null : list(exchange['steps']),
    // Results list them, read from their own table.
    assets: [],
    jobLog: exchange === null ? null : outputLines(exchange, startedAt),
  };
}

/** @param startedAt epoch ms */
function outputLines(exchange: JsonObject, startedAt: number): JsonObject[] {
  return list(exchange['log']).map(({ atMs, stream, text: msg }) => ({
    time: startedAt + number(atMs),
    level: stream === 'stderr' ? 'ERROR' : 'INFO',
    msg: text(msg),
  }));
}

/** The browser's part of a result: console output and web vitals. */
export function describeBrowser(details: JsonValue, exchange: JsonObject | null): JsonObject {
  const { startTime, ...part } = describeScripted(details, exchange);
  const pageLines = exchange === null ? null : list(exchange['pageLines']);
  return {
    ...part,
    startTime: startTime ?? null,
    webVitals: list(object(details)['vitals']),
    console: pageLines?.filter(({ sort }) => sort !== 'error').map((line) => consoleLine(line, startTime)) ?? null,
    pageErrors: pageLines?.filter(({ sort }) => sort === 'error').map((line) => consoleLine(line, startTime)) ?? null,
  };
}

function consoleLine({ atMs, level, text: msg, url }: JsonObject, startTime: JsonValue | undefined): JsonObject {
  return { time: number(startTime) + number(atMs), level: text(level), msg: text(msg), url: text(url) };
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(text) : [];
}
