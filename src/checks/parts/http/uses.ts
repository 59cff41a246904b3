// Variables used by an HTTP check and by the group settings in effect.
import type { JsonValue } from '#domain/json.ts';
import { usesIn, type VariableUse } from '../placeholders.ts';
import type { ApiDefaults, HttpSettings, KeyValue } from './schema.ts';

/** @param isScripted whether scripts build the request, so that only later parts are filled in */
export function httpUses(own: HttpSettings, group: ApiDefaults, isScripted: boolean): VariableUse[] {
  const uses = [
    ...(isScripted ? [] : requestUses(own, group)),
    ...usesOf(group.assertions, 'apiCheckDefaults.assertions'),
    ...usesOf(own.assertions, 'request.assertions'),
    ...authUses(own, group),
    ...usesIn(own.sslCheckDomain ?? '', 'sslCheckDomain'),
  ];
  const usesBaseUrl = group.url !== '' && uses.some(({ name }) => name === 'GROUP_BASE_URL');
  return usesBaseUrl ? [...usesIn(group.url, 'apiCheckDefaults.url'), ...uses] : uses;
}

function requestUses(own: HttpSettings, group: ApiDefaults): VariableUse[] {
  return [
    ...usesIn(own.url, 'request.url'),
    ...inherited(group.headers, own.headers, 'headers', (key) => key.toLowerCase()),
    ...usesOf(own.headers, 'request.headers'),
    ...inherited(group.queryParameters, own.queryParameters, 'queryParameters', (key) => key),
    ...usesOf(own.queryParameters, 'request.queryParameters'),
    ...(own.bodyType === 'NONE' ? [] : usesIn(own.body, 'request.body')),
  ];
}

/** Group pairs that the check does not override. */
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

function authUses(own: HttpSettings, group: ApiDefaults): VariableUse[] {
  if (own.basicAuth !== null) return usesOf([own.basicAuth], 'request.basicAuth', null);
  return group.basicAuth === null ? [] : usesOf([group.basicAuth], 'apiCheckDefaults.basicAuth', null);
}

/** Variables used in the texts of a list of records. @param first index of the first; null = not a list */
function usesOf(records: readonly object[], path: string, first: number | null = 0): VariableUse[] {
  return records.flatMap((record, index) =>
    usesIn(record as JsonValue, first === null ? path : `${path}[${first + index}]`),
  );
}
