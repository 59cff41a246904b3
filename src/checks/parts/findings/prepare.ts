// Preparation of probes: fill in variables and compile assertions.
import type { ThreadInput } from '#domain/checks/probe.ts';
import { asciiHost } from '#lib/net/host-name.ts';
import type { SettingsProblem } from '../../kind.ts';
import { type Assertion, type AssertionSettings, compileAssertion } from '../assertions/assertion.ts';
import type { AssertionSource } from '../assertions/sources.ts';
import { fillIn, hasPlaceholder } from '../placeholders.ts';
import { createRedactor, type Redactor } from '../redact.ts';

/** Variables for filling in and masking. */
export interface Filling {
  /** Replaces placeholders. */
  readonly fill: (text: string) => string;
  readonly redactor: Redactor;
}

/** Returns the variable values that must be masked. */
export function hiddenVariables({ variables }: Pick<ThreadInput, 'variables'>): string[] {
  return variables.filter(({ locked, secret }) => locked || secret).map(({ value }) => value);
}

export function createFilling(input: ThreadInput): Filling {
  const values = new Map(input.variables.map(({ key, value }) => [key, value]));
  return { fill: (text) => fillIn(text, values, new Set()), redactor: createRedactor(hiddenVariables(input)) };
}

/** Returns the filled-in host, or why it is invalid. */
export function filledHost(text: string, { fill }: Filling): { readonly host: string } | string {
  const host = withoutBrackets(fill(text).trim());
  return hostProblem(host) ?? { host: asciiHost(host) ?? host };
}

/** Returns problems of a host in the settings. It may contain variables. */
export function hostProblems(host: string, path: string): SettingsProblem[] {
  const message = hasPlaceholder(host) ? null : hostProblem(host);
  return message === null ? [] : [{ path, message }];
}

/** Returns what is wrong with a host name or address, or null. */
function hostProblem(text: string): string | null {
  const host = asciiHost(withoutBrackets(text)) ?? text;
  if (host === '') return 'the host is missing; enter a name or an address';
  // One colon precedes a port; IPv6 addresses have at least two.
  const hasPort = /^[^:]*:[^:]*$/.test(host);
  const isFine = host.length <= 253 && /^[\w.:%-]+$/.test(host) && !host.startsWith('-') && !hasPort;
  return isFine ? null : `"${text.slice(0, 100)}" is not a host name or an address; leave out scheme, port and path`;
}

/** Accepts IPv6 addresses in URL form. */
function withoutBrackets(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1');
}

/** Compiles assertions, or returns a message about the first invalid one. */
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
