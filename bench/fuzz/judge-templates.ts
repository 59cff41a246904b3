// Judges one case of the template fuzz after the other: what saving and rendering it took, and what they must never do.
import { limits } from '#channels/templates/budget.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Message } from '#domain/alerts/delivery.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { TemplateCase } from './template-cases.ts';
import type { Watch } from './watched.ts';

/** What is tried: how the service saves a channel and renders a delivery. */
export interface Subject {
  /** What is wrong with a configuration; empty = it can be saved. Nothing is remembered from call to call. */
  save(config: JsonObject): readonly { readonly message: string; readonly line?: number; readonly column?: number }[];
  render(config: JsonObject, variables: TemplateVariables): Message;
  /** Whether an error is the one that a rendering may end with. */
  isTemplateError(error: unknown): error is Error & { readonly line: number; readonly column: number };
}

/** What one case came to. */
export interface CaseOutcome {
  readonly ending: 'refused' | 'rendered' | 'render error';
  /** Why, without what is particular to the case. */
  readonly why: string;
  readonly saveMs: number;
  readonly renderMs: number;
  readonly output: number;
  /** Each a sentence; empty = every bar was held. */
  readonly breaches: readonly string[];
}

/** ms that saving may take. */
export const maxSave = 50;
/** ms that rendering may take, warm. */
export const maxRender = 20;
/** Runs among which the fastest counts: the others may have met the garbage collector or another program. */
const tries = 4;
/** ms below which the thread's own time is not told exactly. */
const least = 10;

/** Runs one case and judges it. */
export function judgeCase(subject: Subject, { source, field, variables }: TemplateCase, watch: Watch): CaseOutcome {
  const breaches: string[] = [];
  const config = configOf(field, source);
  const saved = timed(() => subject.save(config), maxSave);
  if (saved.error !== null) breaches.push(`saving threw ${nameOf(saved.error)}`);
  if (saved.ms > maxSave) breaches.push(`saving took ${saved.ms.toFixed(1)} ms`);
  const [issue] = saved.value ?? [];
  if (issue?.line !== undefined && !isPlace(issue, source)) breaches.push('refused at a place that does not exist');
  const outcome = { saveMs: saved.ms, renderMs: 0, output: 0 };
  if (issue !== undefined || saved.error !== null) {
    return {
      ...outcome,
      ending: 'refused',
      why: kindOf(issue?.message ?? 'threw'),
      breaches: [...breaches, ...watch.inspect()],
    };
  }
  const rendered = timed(() => subject.render(config, variables), maxRender);
  if (rendered.ms > maxRender) breaches.push(`rendering took ${rendered.ms.toFixed(1)} ms`);
  if (rendered.error !== null) {
    if (!subject.isTemplateError(rendered.error)) breaches.push(`rendering threw ${nameOf(rendered.error)}`);
    else if (!isPlace(rendered.error, source)) breaches.push('ended at a place that does not exist');
  }
  const output = rendered.value === null ? 0 : printedIn(rendered.value);
  if (output > limits.output) breaches.push(`printed ${output} characters`);
  // What is percent-encoded in a URL grows up to ninefold.
  const maxUrl = field === 'many' ? 10 * limits.output : 20 * limits.line;
  if ((rendered.value?.url.length ?? 0) > maxUrl) breaches.push('made a URL without bounds');
  if (rendered.value !== null && rendered.isUneven) breaches.push('two renderings with the same values differ');
  breaches.push(...watch.inspect());
  const ending = rendered.error === null ? 'rendered' : 'render error';
  const why = rendered.error === null ? '' : kindOf((rendered.error as Error).message);
  return { ending, why, saveMs: saved.ms, renderMs: rendered.ms, output, breaches };
}

/** The channel that a template is saved in. */
export function configOf(field: TemplateCase['field'], source: string): JsonObject {
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

/** Characters of the body and of the headers that templates made. */
function printedIn({ body, headers }: Message): number {
  return headers.reduce((sum, [name, value]) => sum + (name === 'x-fuzz' ? value.length : 0), body.length);
}

interface Timed<Value> {
  readonly ms: number;
  readonly value: Value | null;
  readonly error: unknown;
  readonly isUneven: boolean;
}

/** Runs something twice, and again where it took too long, and says how long the fastest took. */
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
    // A machine that is busy with something else is no fault of the template: its own time counts.
    ms = Math.min(ms, performance.now() - startedAt, Math.max((user + system) / 1000, least));
    texts.add(JSON.stringify(value));
  }
  return { ms, value, error, isUneven: texts.size > 1 };
}

function isPlace({ line, column }: { readonly line?: number; readonly column?: number }, source: string): boolean {
  // A field may hold more than the source in front of it, on its first line.
  const lines = source.split(/\r\n?|\n/).length;
  return line !== undefined && column !== undefined && line >= 1 && line <= lines && column >= 1;
}

/** A message without what stands in quotes and figures, to count cases by. */
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
