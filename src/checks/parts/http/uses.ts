// The variables that an HTTP check uses, in its own settings and in those of its group that take effect.
import type { JsonValue } from '#domain/json.ts';
import { usesIn, type VariableUse } from '../placeholders.ts';
import type { ApiDefaults, ApiSettings, KeyValue } from './settings.ts';

/** @param isScripted scripts have made the request already: only what comes after it is filled in */
export function httpUses(own: ApiSettings, group: ApiDefaults, isScripted: boolean): VariableUse[] {
  const uses = [
    ...(isScripted ? [] : requestUses(own, group)),
    ...usesOf(group.assertions, 'apiCheckDefaults.assertions'),
    ...usesOf(own.assertions, 'request.assertions'),
    ...authUses(own, group),
    ...usesIn(own.sslCheckDomain, 'sslCheckDomain'),
  ];
  const usesBaseUrl = group.url !== '' && uses.some(({ name }) => name === 'GROUP_BASE_URL');
  return usesBaseUrl ? [...usesIn(group.url, 'apiCheckDefaults.url'), ...uses] : uses;
}

function requestUses(own: ApiSettings, group: ApiDefaults): VariableUse[] {
  return [
    ...usesIn(own.url, 'request.url'),
    ...inherited(group.headers, own.headers, 'headers', (key) => key.toLowerCase()),
    ...usesOf(own.headers, 'request.headers'),
    ...inherited(group.queryParameters, own.queryParameters, 'queryParameters', (key) => key),
    ...usesOf(own.queryParameters, 'request.queryParameters'),
    ...(own.bodyType === 'NONE' ? [] : usesIn(own.body, 'request.body')),
  ];
}

/** Pairs of the group that the check does not set itself. */
function inherited(
  ofGroup: readonly KeyValue[],
  ownPairs: readonly KeyValue[],
  name: 'headers' | 'queryParameters',
  sameName: (key: string) => string,
): VariableUse[] {
  const names = new Set(ownPairs.map(({ key }) => sameName(key)));
  return ofGroup.flatMap((pair, index) =>
    names.has(sameName(pair.key)) ? [] : usesOf([pair], `apiCheckDefaults.${name}`, index),
  );
}

function authUses(own: ApiSettings, group: ApiDefaults): VariableUse[] {
  if (own.basicAuth !== null) return usesOf([own.basicAuth], 'request.basicAuth', null);
  return group.basicAuth === null ? [] : usesOf([group.basicAuth], 'apiCheckDefaults.basicAuth', null);
}

/** Uses in the texts of a list of records. @param first index of the first; null = it is no list */
function usesOf(records: readonly object[], path: string, first: number | null = 0): VariableUse[] {
  return records.flatMap((record, index) =>
    usesIn(record as JsonValue, first === null ? path : `${path}[${first + index}]`),
  );
}
