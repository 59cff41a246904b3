// Parses path parameters, query and body by the contract, and reports all errors at once.
import type { z } from 'zod';
import { type Faults, maxFaults, parseReporting, type UnknownFields } from '#lib/schema/faults.ts';
import type { Operation } from '#contract/operation.ts';
import { nearestName } from '#lib/nearest.ts';
import { HttpRefusal } from './http-refusal.ts';

/** The parsed input; parts that the operation does not declare are undefined. */
export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Parses the request, or refuses (400) with `attributes` that name every invalid field of path, query and body.
 * @param sent `query` as split by the router: a value per name, or a list if a name was repeated
 */
export function parseInput(operation: Operation, sent: Input): Input {
  const faults: Faults = {};
  const params = parse(operation.params, sent.params, faults, 'field');
  const query = parse(
    operation.query,
    operation.query && plainQuery(sent.query, operation.ignoredQuery),
    faults,
    'query parameter',
  );
  const body = parse(operation.body, sent.body, faults, 'field');
  // Treats a missing body as an empty one, so that the error names the required fields.
  if ('body' in faults && sent.body === undefined) parse(operation.body, {}, faults, 'field');
  if (Object.keys(faults).length > 0) throw faultsRefused(faults);
  return { params, query, body };
}

/** A value inside of a body, parsed by its schema; undefined if it is invalid, and `faults` has the reasons. */
export function parsed<Value>(schema: z.ZodType<Value>, value: unknown, faults: Faults): Value | undefined {
  return parse(schema, value, faults, 'field') as Value | undefined;
}

/** Refuses (400); `attributes` name every invalid field. */
export function faultsRefused(faults: Faults): HttpRefusal {
  return new HttpRefusal(400, sentence(faults, Object.keys(faults)), { attributes: faults });
}

function parse(schema: Operation['body'], value: unknown, faults: Faults, what: UnknownFields['what']): unknown {
  return schema && parseReporting(schema, value, faults, { what, nearest: nearestName });
}

/** `tag[]=a` means `tag=a`; both may be used together. */
function plainQuery(query: unknown, ignored: readonly string[] = []): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query ?? {}) as [string, string | string[]][]) {
    const key = name.endsWith('[]') ? name.slice(0, -2) : name;
    if (ignored.includes(key)) continue;
    plain[key] = key in plain || key !== name ? [plain[key] ?? [], value].flat() : value;
  }
  return plain;
}

function sentence(faults: Faults, names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => notifiedOf(name, faults[name] ?? ''));
  const least = names.length >= maxFaults ? 'at least ' : '';
  const more = names.length > 3 ? `; and ${least}${names.length - 3} more` : '';
  return `${shown.join('; ')}${more}.`.replace(/\?\.$/, '?');
}

/** `unknown field; did you mean …` names the field itself; every other message continues after the name. */
function notifiedOf(name: string, fault: string): string {
  const [, what, rest] = /^unknown (field|query parameter)(.*)$/s.exec(fault) ?? [];
  return what === undefined ? `${name} ${fault}` : `Unknown ${what} "${name}"${rest ?? ''}`;
}
