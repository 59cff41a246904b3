// Check kinds without HTTP: the plan of a probe, assertions and the finding, the same for all of them.
import type { JsonObject } from '#domain/json.ts';
import type { Measures } from '#domain/results/analytics.ts';
import type { ThreadInput } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import type { CheckKind, KindFacts, ProbeDeps, SettingsProblem } from '../../kind.ts';
import { type CheckSchema, readerOf, type SettingsOf } from '../../schema.ts';
import type { Assertion, AssertionSettings } from '../assertions/assertion.ts';
import type { AssertionSource } from '../assertions/sources.ts';
import type { Outcome } from '../assertions/sentence.ts';
import { assertionWarnings } from '../assertions/validate.ts';
import { usesIn } from '../placeholders.ts';
import type { Redactor } from '../redact.ts';
import { type AnswerWork, type Offload, workOn } from './answer-work.ts';
import { isNoProbe, judgeAssertions, type Judged, missingVariable, outcomesOf, wrongSettings } from './judge.ts';
import { describeLight, lightFinding, type LightProbe } from './light.ts';
import { compileAll, createFilling, type Filling } from './prepare.ts';

/** What is known of a check before it is probed. */
export interface LightPlan<Schema extends CheckSchema> {
  readonly accountId: string;
  readonly settings: SettingsOf<Schema>;
  readonly shouldFail: boolean;
  readonly assertions: readonly Assertion[];
  readonly redactor: Redactor;
}

/** What a probe saw, and how to judge it. */
export interface LightSeen extends Omit<LightProbe, 'startedAt' | 'assertions' | 'response'> {
  /** What assertions compare, or their outcomes; null = there is no response. */
  readonly seen: AnswerWork['values'] | readonly Outcome[] | null;
  /** What the full response has in addition to the short one. */
  readonly full?: JsonObject;
  /** @param broken the verdict of failed assertions; null = they hold */
  readonly judge: (broken: Judged | null) => Judged;
}

/** What differs between kinds. */
export interface LightKind<Schema extends CheckSchema, Target> {
  readonly schema: Schema;
  /** The setting with the target and the assertions. */
  readonly part: string;
  readonly sources: readonly AssertionSource[];
  readonly assertionsOf: (settings: SettingsOf<Schema>) => readonly AssertionSettings[];
  /** Phases that analytics shows. */
  readonly phases: Measures['phases'];
  readonly urlOf: (settings: SettingsOf<Schema>) => KindFacts['url'];
  readonly problemsOf: (settings: SettingsOf<Schema>) => SettingsProblem[];
  /** Returns the target with variables filled in, or why it is invalid. */
  readonly targetOf: (settings: SettingsOf<Schema>, filling: Filling, input: ThreadInput) => Target | string;
  /** Creates the part of the probe that knows the target. It must not reject because of it. */
  readonly createInspect: (
    deps: ProbeDeps,
  ) => (plan: LightPlan<Schema> & Target, startedAt: number, signal: AbortSignal) => Promise<LightSeen>;
}

export function createLightKind<Schema extends CheckSchema, Target extends object>(
  kind: LightKind<Schema, Target>,
): CheckKind<Schema> {
  const { schema, part, sources, assertionsOf } = kind;
  const read = readerOf(schema);
  const variableUses = (settings: JsonObject) => usesIn(settings[part], part);
  const planOf = (input: ThreadInput): (LightPlan<Schema> & Target) | string => {
    const settings = read(input.check.settings);
    const filling = createFilling(input);
    const { redactor } = filling;
    const target = kind.targetOf(settings, filling, input);
    if (typeof target === 'string') return redactor.text(target);
    const assertions = compileAll(assertionsOf(settings), sources, filling);
    if (typeof assertions === 'string') return redactor.text(assertions);
    const { accountId, shouldFail } = input.check;
    return { ...target, accountId, settings, shouldFail, assertions, redactor };
  };
  return {
    schema,
    createProbe: (deps) => {
      const inspect = kind.createInspect(deps);
      return async (input, signal) => {
        const names = new Set(input.variables.map(({ key }) => key));
        const plan = missingVariable(variableUses(input.check.settings), names) ?? planOf(input);
        const startedAt = Date.now();
        if (isNoProbe(plan)) return wrongSettings(startedAt, plan);
        return findingOf(plan, startedAt, await inspect(plan, startedAt, signal), deps.offload);
      };
    },
    validateSettings: (settings) => kind.problemsOf(read(settings)),
    variableUses,
    warnSettings: (stored) => {
      const settings = read(stored);
      const { maxResponseTime = Number.POSITIVE_INFINITY } = settings as { readonly maxResponseTime?: number };
      return assertionWarnings(assertionsOf(settings), `${part}.assertions`, maxResponseTime);
    },
    describeResult: describeLight,
    measures: { statusCode: false, phases: kind.phases },
    alertFacts: ({ settings }) => ({ url: kind.urlOf(read(settings)), status: null, statusText: null }),
  };
}

async function findingOf(
  { accountId, assertions, redactor }: LightPlan<CheckSchema>,
  startedAt: number,
  { seen, full, judge, ...probe }: LightSeen,
  offload: Offload | undefined,
): Promise<Finding> {
  const outcomes = seen === null || isList(seen) ? (seen ?? []) : await evaluate(seen);
  const { short } = probe;
  const response = short && { ...short, ...full };
  const shown = outcomesOf(assertions, outcomes, redactor.text);
  return lightFinding(
    { startedAt, ...probe, response, assertions: shown },
    judge(judgeAssertions(assertions, outcomes)),
    redactor,
  );

  async function evaluate(values: AnswerWork['values']): Promise<readonly Outcome[]> {
    return (await workOn({ accountId, assertions, values, body: null, redactor }, offload)).outcomes;
  }
}

function isList(seen: AnswerWork['values'] | readonly Outcome[]): seen is readonly Outcome[] {
  return Array.isArray(seen);
}
