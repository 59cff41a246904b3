// The fuzz of templates: many cases, one after the other, with the memory looked at between them.
import { forgetTemplates } from '#channels/templates/compile.ts';
import { renderWebhook } from '#channels/kinds/webhook/render.ts';
import { TemplateError } from '#channels/templates/template-error.ts';
import { channelRules } from '#channels/rules.ts';
import type { Subject } from './judge-templates.ts';
import { judgeCase } from './judge-templates.ts';
import { templateCase } from './template-cases.ts';
import { watchProcess } from './watched.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

/** Templates as the service saves and renders them. */
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
    }),
  isTemplateError: (error) => error instanceof TemplateError,
};

/** What a whole run came to. */
export interface FuzzOutcome {
  readonly cases: number;
  /** Ending and reason → how often. */
  readonly endings: ReadonlyMap<string, number>;
  readonly slowestSave: { readonly ms: number; readonly number: number };
  readonly slowestRender: { readonly ms: number; readonly number: number };
  readonly longestOutput: { readonly length: number; readonly number: number };
  /** MB in use after collecting garbage: after the first tenth, and at the end. */
  readonly memory: { readonly early: number; readonly late: number };
  /** Each with the number of its case. */
  readonly breaches: readonly string[];
}

/** MB by which memory may differ between the first tenth and the end: templates that are kept differ in size. */
export const maxMemory = 8;
const maxBreaches = 50;

/** Runs cases `first` … `first + count - 1` of a seed. */
export function fuzzTemplates(
  subject: Subject,
  { seed, first = 0, count }: { seed: number; first?: number; count: number },
  say: (what: string) => void = () => undefined,
): FuzzOutcome {
  const endings = new Map<string, number>();
  const breaches: string[] = [];
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
    for (const breach of outcome.breaches)
      if (breaches.length < maxBreaches) breaches.push(`case ${number}: ${breach}`);
    if ((done + 1) % tenth !== 0) continue;
    watch.end();
    const heap = heapMegabytes();
    if (done + 1 === tenth) early = heap;
    say(`${done + 1} cases, ${breaches.length} breaches, ${heap.toFixed(1)} MB`);
    watch = watchProcess();
  }
  watch.end();
  const memory = { early, late: heapMegabytes() };
  if (memory.late - memory.early > maxMemory) {
    breaches.push(`memory grew from ${memory.early.toFixed(1)} to ${memory.late.toFixed(1)} MB`);
  }
  return { cases: count, endings, slowestSave, slowestRender, longestOutput, memory, breaches };
}

/** MB of live objects, garbage collected before. */
function heapMegabytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
