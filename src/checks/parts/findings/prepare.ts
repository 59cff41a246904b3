// What probes begin with, most of it those of light kinds: variables filled in, assertions compiled, one plan a revision.
import type { JsonObject } from '#domain/json.ts';
import type { ThreadInput, ThreadProbe } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import { asciiHost } from '#lib/net/host-name.ts';
import type { SettingsProblem } from '../../kind.ts';
import {
  type Assertion,
  type AssertionSettings,
  type AssertionSource,
  compileAssertion,
} from '../assertions/assertion.ts';
import { fillIn, hasPlaceholder, type VariableUse } from '../placeholders.ts';
import { createRedactor, type Redactor } from '../redact.ts';
import { isNoProbe, missingVariable, wrongSettings } from './judge.ts';

/** The variables of an input, ready to be filled in and to be hidden. */
export interface Filling {
  /** A text with its placeholders filled in. */
  readonly fill: (text: string) => string;
  readonly redactor: Redactor;
}

export function createFilling({ variables }: ThreadInput): Filling {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  const hidden = variables.filter(({ secret, locked }) => secret || locked).map(({ value }) => value);
  return { fill: (text) => fillIn(text, values, new Set()), redactor: createRedactor(hidden) };
}

/** Where to connect to, filled in; or a sentence that says why that is nowhere. */
export function filledHost(text: string, { fill }: Filling): { readonly host: string } | string {
  const host = withoutBrackets(fill(text).trim());
  return hostProblem(host) ?? { host: asciiHost(host) ?? host };
}

/** What is wrong with a host of the settings, which variables may bring. */
export function hostProblems(host: string, path: string): SettingsProblem[] {
  const message = hasPlaceholder(host) ? null : hostProblem(host);
  return message === null ? [] : [{ path, message }];
}

/** What is wrong with a host name or address; null = nothing. */
function hostProblem(text: string): string | null {
  const host = asciiHost(withoutBrackets(text)) ?? text;
  if (host === '') return 'the host is missing; enter a name or an address';
  // Of colons an address of IPv6 has two at least: one is before a port.
  const hasPort = /^[^:]*:[^:]*$/.test(host);
  const isFine = host.length <= 253 && /^[\w.:%-]+$/.test(host) && !host.startsWith('-') && !hasPort;
  return isFine ? null : `"${text.slice(0, 100)}" is not a host name or an address; leave out scheme, port and path`;
}

/** An address of IPv6 may be written as in a URL. */
function withoutBrackets(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1');
}

/** Assertions ready to be evaluated, or a sentence about the first that is none. */
export function compileAll(
  settings: readonly AssertionSettings[],
  sources: readonly AssertionSource[],
  { fill, redactor }: Pick<Filling, 'fill' | 'redactor'>,
): readonly Assertion[] | string {
  const compiled: Assertion[] = [];
  for (const each of settings) {
    const assertion = compileAssertion(filledAssertion(each, fill), sources, redactor.text);
    if (typeof assertion === 'string') return assertion;
    compiled.push(assertion);
  }
  return compiled;
}

function filledAssertion(settings: AssertionSettings, fill: Filling['fill']): AssertionSettings {
  const { property, target, regex } = settings;
  return { ...settings, property: fill(property), target: fill(target), regex: regex === null ? null : fill(regex) };
}

/**
 * The probe of a kind.
 *
 * @param uses the variables that its settings use
 * @param makePlan all that is known before it looks, or a sentence that says what is wrong; it may be shown
 * @param look never rejects for what the target does
 */
export function createPlannedProbe<Plan extends object>(
  uses: (settings: JsonObject) => readonly VariableUse[],
  makePlan: (input: ThreadInput) => Plan | string,
  look: (plan: Plan, startedAt: number, signal: AbortSignal) => Promise<Finding>,
): ThreadProbe {
  return (input, signal) => {
    const names = new Set(input.variables.map(({ key }) => key));
    const plan = missingVariable(uses(input.check.settings), names) ?? makePlan(input);
    const startedAt = Date.now();
    return isNoProbe(plan) ? Promise.resolve(wrongSettings(startedAt, plan)) : look(plan, startedAt, signal);
  };
}
