// The template fuzz: runs many cases sequentially and measures memory in between.
import { forgetTemplates } from '#channels/templates/compile.ts';
import { renderWebhook } from '#channels/kinds/webhook/render.ts';
import { TemplateError } from '#channels/templates/template-error.ts';
import { channelRules } from '#channels/rules.ts';
import type { Subject } from './judge-templates.ts';
import { judgeCase } from './judge-templates.ts';
import { templateCase } from './template-cases.ts';
import { watchProcess } from './side-effects.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

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
