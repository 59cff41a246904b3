// What a browser check names beside its script: a domain whose certificate is looked at meanwhile (reference §4.3:
// sslCheckDomain).
import type { JsonObject } from '#domain/json.ts';
import { bareFinding } from '#domain/results/result.ts';
import { trustOf } from '../connection/certificate.ts';
import { domainProblem, readDomain } from '../connection/domain.ts';
import { createNamedCertificates } from '../connection/named-certificate.ts';
import type { BesideScripts, SettingsProblem } from '../../kind.ts';
import { fillIn, usesIn, type VariableUse } from '../placeholders.ts';
import { text } from '../read.ts';
import { createRedactor } from '../redact.ts';
import { hiddenVariables } from './runtime.ts';

function domainOf(settings: JsonObject): string {
  return text(settings['sslCheckDomain']);
}

/** The variables that the domain uses. */
export function besideUses(settings: JsonObject): VariableUse[] {
  return usesIn(domainOf(settings), 'sslCheckDomain');
}

/** What is wrong with the domain that a check names; empty = fine. */
export function besideProblems(settings: JsonObject): SettingsProblem[] {
  const message = domainProblem(domainOf(settings));
  return message === null ? [] : [{ path: 'sslCheckDomain', message }];
}

/**
 * The domain of a check, its variables filled in. What it finds is `passed` whatever is seen: nothing is judged by it; its message
 * says why no certificate was seen.
 */
export const besideBrowser: BesideScripts = {
  has: ({ settings }) => domainOf(settings) !== '',
  createProbe(means) {
    const look = createNamedCertificates(means.guard, trustOf(means));
    return async (input, signal) => {
      const { check, variables } = input;
      const values = new Map(variables.map(({ key, value }) => [key, value]));
      const place = readDomain(fillIn(domainOf(check.settings), values, new Set()));
      const finding = bareFinding(Date.now(), { verdict: 'passed', reason: null, message: null });
      if (place === null) return finding;
      const { text: hide } = createRedactor(hiddenVariables(input));
      const { certificate, problem } = await look({ by: input, place, family: 0, hide }, signal);
      return { ...finding, certificate, message: problem };
    };
  },
};
