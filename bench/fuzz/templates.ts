// The template fuzz: runs many cases sequentially and measures memory in between.
import { forgetTemplates } from '#channels/templates/compile.ts';
import { renderWebhook } from '#channels/kinds/webhook/render.ts';
import { TemplateError } from '#channels/templates/template-error.ts';
import { channelRules } from '#channels/rules.ts';
import { templateCase, type TemplateCase } from './template-cases.ts';
import { watchProcess, type Watch } from './side-effects.ts';
import { collectGarbage } from '../support/report.ts';
import { limits } from '#channels/templates/budget.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';

/** The code under test: saves a channel and renders a delivery like the service. */
export interface Subject {
  /** Problems of a configuration; empty = it can be saved. Calls share no state. */
  save(config: JsonObject): readonly { readonly message: string; readonly line?: number; readonly column?: number }[];
  render(config: JsonObject, variables: TemplateVariables): Message;
  /** Whether an error is the expected kind of a rendering. */
  isTemplateError(error: unknown): error is Error & { readonly line: number; readonly column: number };
}

/** Outcome of a case. */
interface CaseOutcome {
  readonly ending: 'refused' | 'rendered' | 'render error';
  /** The reason, without details of the case. */
  readonly why: string;
  readonly saveMs: number;
  readonly renderMs: number;
  readonly output: number;
  /** One sentence each; empty = no violation. */
  readonly violations: readonly string[];
}

/** Maximum time to save, ms. */
export const maxSave = 50;
/** Maximum time to render when warm, ms. */
export const maxRender = 20;
/** Attempts; the fastest one counts, because garbage collection or other programs may delay the rest. */
const tries = 4;
/** Below this many ms the thread's CPU time is inaccurate. */
const least = 10;

/** Runs one case and evaluates it. */
export function judgeCase(subject: Subject, { source, field, variables }: TemplateCase, watch: Watch): CaseOutcome {
  const violations: string[] = [];
  const config = configOf(field, source);
  const saved = timed(() => subject.save(config), maxSave);
  if (saved.error !== null) violations.push(`saving threw ${nameOf(saved.error)}`);
  if (saved.ms > maxSave) violations.push(`saving took ${saved.ms.toFixed(1)} ms`);
  const [issue] = saved.value ?? [];
  if (issue?.line !== undefined && !isPlace(issue, source)) violations.push('rejected at a place that does not exist');
  const outcome = { saveMs: saved.ms, renderMs: 0, output: 0 };
  if (issue !== undefined || saved.error !== null) {
    return {
      ...outcome,
      ending: 'refused',
      why: kindOf(issue?.message ?? 'threw'),
      violations: [...violations, ...watch.inspect()],
    };
  }
  const rendered = timed(() => subject.render(config, variables), maxRender);
  if (rendered.ms > maxRender) violations.push(`rendering took ${rendered.ms.toFixed(1)} ms`);
  if (rendered.error !== null) {
    if (!subject.isTemplateError(rendered.error)) violations.push(`rendering threw ${nameOf(rendered.error)}`);
    else if (!isPlace(rendered.error, source)) violations.push('failed at a place that does not exist');
  }
  const output = rendered.value === null ? 0 : printedIn(rendered.value);
  if (output > limits.output) violations.push(`printed ${output} characters`);
  // Percent-encoding grows a URL up to ninefold.
  const maxUrl = field === 'many' ? 10 * limits.output : 20 * limits.line;
  if ((rendered.value?.url.length ?? 0) > maxUrl) violations.push('rendered a URL that is too long');
  if (rendered.value !== null && rendered.isUneven) violations.push('two renderings with the same values differ');
  violations.push(...watch.inspect());
  const ending = rendered.error === null ? 'rendered' : 'render error';
  const why = rendered.error === null ? '' : kindOf((rendered.error as Error).message);
  return { ending, why, saveMs: saved.ms, renderMs: rendered.ms, output, violations };
}

/** The channel that contains the template. */
function configOf(field: TemplateCase['field'], source: string): JsonObject {
  const pairs = [{ key: 'x-fuzz', value: source, locked: false }];
  const url = 'https://receiver.example/';
  const configs: Readonly<Record<TemplateCase['field'], JsonObject>> = {
    template: { url, template: source },
    url: { url: `${url}${source}`, template: 'text' },
    header: { url, template: 'text', headers: pairs },
    query: { url, template: 'text', queryParameters: pairs },
    many: {
      url,
      template: source,
      headers: Array.from({ length: 20 }, () => pairs).flat(),
      queryParameters: Array.from({ length: 20 }, () => pairs).flat(),
    },
  };
  return configs[field];
}

/** Number of rendered characters in the body and headers. */
function printedIn({ body, headers }: Message): number {
  return headers.reduce((sum, [name, value]) => sum + (name === 'x-fuzz' ? value.length : 0), body.length);
}

interface Timed<Value> {
  readonly ms: number;
  readonly value: Value | null;
  readonly error: unknown;
  readonly isUneven: boolean;
}

/** Runs a function twice, and again if it was too slow. Returns the fastest time. */
function timed<Value>(work: () => Value, max: number): Timed<Value> {
  let ms = Number.POSITIVE_INFINITY;
  let value: Value | null = null;
  let error: unknown = null;
  const texts = new Set<string>();
  for (let i = 0; i < tries && (i < 1 || ms > max || (i < 2 && ms < 1)); i++) {
    const startedAt = performance.now();
    const before = process.threadCpuUsage();
    try {
      value = work();
    } catch (thrown) {
      error = thrown;
    }
    const { user, system } = process.threadCpuUsage(before);
    // Uses the thread's CPU time, so that a busy machine does not count against the template.
    ms = Math.min(ms, performance.now() - startedAt, Math.max((user + system) / 1000, least));
    texts.add(JSON.stringify(value));
  }
  return { ms, value, error, isUneven: texts.size > 1 };
}

function isPlace({ line, column }: { readonly line?: number; readonly column?: number }, source: string): boolean {
  // A field may contain more text before the source, on its first line.
  const lines = source.split(/\r\n?|\n/).length;
  return line !== undefined && column !== undefined && line >= 1 && line <= lines && column >= 1;
}

/** A message without quoted texts and numbers, to group cases. */
function kindOf(message: string): string {
  return message
    .replace(/"[^]*?"/g, '"…"')
    .replace(/\{\{[^]*?\}\}+/g, '{{…}}')
    .replace(/\d+/g, 'N')
    .split(/[:(]/)[0]!
    .slice(0, 60)
    .trim();
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message.slice(0, 200)}` : String(error);
}

/** Saves and renders templates like the service. */
export const service: Subject = {
  save(config) {
    forgetTemplates();
    return channelRules.validateConfig('WEBHOOK', config, new Set());
  },
  render: (config, variables) =>
    renderWebhook(config, variables, {
      createdAt: 1_773_144_005_250,
      uuid: '6b1f0f0e-3d3c-4a55-9a51-1d2f3c4b5a69',
      randomNumber: 612,
      userAgent: 'Tocsin/0',
      timeZone: 'UTC',
    }),
  isTemplateError: (error) => error instanceof TemplateError,
};

/** Outcome of a complete run. */
export interface FuzzOutcome {
  readonly cases: number;
  /** Number of cases by ending and reason. */
  readonly endings: ReadonlyMap<string, number>;
  readonly slowestSave: { readonly ms: number; readonly number: number };
  readonly slowestRender: { readonly ms: number; readonly number: number };
  readonly longestOutput: { readonly length: number; readonly number: number };
  /** Memory in use after garbage collection, MB: after the first tenth, and at the end. */
  readonly memory: { readonly early: number; readonly late: number };
  /** Each with the number of its case. */
  readonly violations: readonly string[];
}

/** Maximum difference in memory between the first tenth and the end, MB: cached templates differ in size. */
export const maxMemory = 8;
const maxBreaches = 50;

/** Runs cases `first` … `first + count - 1` of a seed. */
export function fuzzTemplates(
  subject: Subject,
  { seed, first = 0, count }: { seed: number; first?: number; count: number },
  say: (what: string) => void = () => undefined,
): FuzzOutcome {
  const endings = new Map<string, number>();
  const violations: string[] = [];
  let slowestSave = { ms: 0, number: first };
  let slowestRender = { ms: 0, number: first };
  let longestOutput = { length: 0, number: first };
  let early = 0;
  const tenth = Math.max(1, Math.floor(count / 10));
  let watch = watchProcess();
  for (let done = 0; done < count; done++) {
    const number = first + done;
    const outcome = judgeCase(subject, templateCase(seed, number), watch);
    const ending = outcome.why === '' ? outcome.ending : `${outcome.ending}: ${outcome.why}`;
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    if (outcome.saveMs > slowestSave.ms) slowestSave = { ms: outcome.saveMs, number };
    if (outcome.renderMs > slowestRender.ms) slowestRender = { ms: outcome.renderMs, number };
    if (outcome.output > longestOutput.length) longestOutput = { length: outcome.output, number };
    for (const violation of outcome.violations)
      if (violations.length < maxBreaches) violations.push(`case ${number}: ${violation}`);
    if ((done + 1) % tenth !== 0) continue;
    watch.end();
    const heap = heapMegabytes();
    if (done + 1 === tenth) early = heap;
    say(`${done + 1} cases, ${violations.length} violations, ${heap.toFixed(1)} MB`);
    watch = watchProcess();
  }
  watch.end();
  const memory = { early, late: heapMegabytes() };
  if (memory.late - memory.early > maxMemory) {
    violations.push(`memory grew from ${memory.early.toFixed(1)} to ${memory.late.toFixed(1)} MB`);
  }
  return { cases: count, endings, slowestSave, slowestRender, longestOutput, memory, violations };
}

/** Live objects after garbage collection, MB. */
function heapMegabytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
