// Evaluates assertions on a response within limits of time.
import { DeadlineError, withinMs } from '#lib/deadline.ts';
import type { Assertion } from './assertion.ts';
import { createEvaluator, type Hiding, maxRegexText, type Observation, outcomeOfError } from './evaluator.ts';
import type { Outcome } from './sentence.ts';
import { sortOf } from './sources.ts';

/** CPU time limit for all assertions of a check; far more than normal ones need. */
export const budgetMs = 500;

/** Remaining budget of all evaluations for one response. */
export interface Budget {
  leftMs: number;
}

/** Texts and documents up to this length take negligible time. */
const cheapText = 16 * 1024;
/**
 * Evaluates all assertions of a check; parses JSON at most once. An assertion that cannot be evaluated fails with the
 * reason.
 */
export function evaluateAll(
  assertions: readonly Assertion[],
  observation: Observation,
  hiding: Hiding,
  budget: Budget = { leftMs: budgetMs },
): Outcome[] {
  const evaluateOne = createEvaluator(observation, hiding);
  return assertions.map((assertion) => {
    try {
      const evaluate = (): Outcome => evaluateOne(assertion);
      return isCheap(assertion, observation) ? evaluate() : inTime(evaluate, budget);
    } catch (error) {
      return outcomeOfError(error, hiding);
    }
  });
}

/** Whether an evaluation always takes far less than a millisecond. */
export function isCheap({ source, path, pattern }: Assertion, { values, text }: Observation): boolean {
  if (path !== null && path.mode !== 'one') return false;
  const sort = sortOf[source];
  if (sort !== 'text' && sort !== 'json') return pattern === null || isCheapPattern(pattern.source, maxRegexText);
  const value = values[source] ?? text();
  const length = typeof value === 'string' ? value.length : 0;
  return length <= cheapText && (pattern === null || isCheapPattern(pattern.source, length));
}

/** Whether a pattern cannot take long on a text of that length: at most one repeated character or class. */
function isCheapPattern(source: string, length: number): boolean {
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repeats = plain.match(/[*+]/g)?.length ?? 0;
  if (repeats === 0) return length <= 2048 && !/[|{]/.test(plain) && !/\?/.test(plain);
  return repeats === 1 && length <= 2048 && !/[|{]|\)[*+?]/.test(plain) && (plain.match(/\?/g)?.length ?? 0) <= 2;
}

const shared = `the ${budgetMs} ms that all assertions of a check share`;

/** Runs a potentially endless evaluation within the remaining time. */
function inTime(evaluate: () => Outcome, budget: Budget): Outcome {
  const failed = { passed: false, actual: null } as const;
  if (budget.leftMs <= 0) return { ...failed, problem: `it was not evaluated: ${shared} are used up` };
  const { leftMs } = budget;
  // On a busy machine the thread gets less CPU time, so retry once with a longer limit.
  for (const limitMs of [leftMs, 4 * leftMs]) {
    const before = process.threadCpuUsage();
    try {
      const outcome = withinMs(evaluate, limitMs);
      budget.leftMs -= Math.min(leftMs, cpuMsSince(before));
      return outcome;
    } catch (error) {
      const spentMs = cpuMsSince(before);
      if (!(error instanceof DeadlineError)) {
        budget.leftMs -= Math.min(leftMs, spentMs);
        throw error;
      }
      if (spentMs < leftMs / 2) continue;
      budget.leftMs = 0;
      return { ...failed, problem: `evaluation takes longer than ${shared}` };
    }
  }
  return { ...failed, problem: 'Tocsin was too busy to evaluate it', isOurs: true };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
