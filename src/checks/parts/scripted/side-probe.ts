// The domain whose certificate a browser check monitors while its script runs (reference §4.3: sslCheckDomain).
import type { JsonObject } from '#domain/json.ts';
import { bareFinding } from '#domain/results/result.ts';
import { trustOf } from '../connection/certificate.ts';
import { domainProblem, readDomain, createNamedCertificates } from '../connection/named-certificate.ts';
import type { SideProbe, SettingsProblem } from '../../kind.ts';
import { fillIn, usesIn, type VariableUse } from '../placeholders.ts';
import { text } from '../read.ts';
import { createRedactor } from '../redact.ts';
import { hiddenVariables } from '../findings/prepare.ts';

function domainOf(settings: JsonObject): string {
  return text(settings['sslCheckDomain']);
}

/** Variables used by the domain. */
export function sideProbeUses(settings: JsonObject): VariableUse[] {
  return usesIn(domainOf(settings), 'sslCheckDomain');
}

/** Returns problems of the domain; empty if valid. */
export function sideProbeProblems(settings: JsonObject): SettingsProblem[] {
  const message = domainProblem(domainOf(settings));
  return message === null ? [] : [{ path: 'sslCheckDomain', message }];
}

/** Monitors the domain of a check. The finding always passes; its message says why no certificate could be read. */
export const certificateProbe: SideProbe = {
  has: ({ settings }) => domainOf(settings) !== '',
  createProbe(deps) {
    const inspect = createNamedCertificates(deps.guard, trustOf(deps));
    return async (input, signal) => {
      const { check, variables } = input;
      const values = new Map(variables.map(({ key, value }) => [key, value]));
      const place = readDomain(fillIn(domainOf(check.settings), values, new Set()));
      const finding = bareFinding(Date.now(), { verdict: 'passed', reason: null, message: null });
      if (place === null) return finding;
      const { text: hide } = createRedactor(hiddenVariables(input));
      const { certificate, problem } = await inspect({ by: input, place, family: 0, hide }, signal);
      return { ...finding, certificate, message: problem };
    };
  },
};
