// The target of a check as people see it.
import { kindOf } from '#checks/check-kinds.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import { maskUserInfo } from '#domain/deliveries/shown-url.ts';

/** The target of a check, without URL credentials. */
export function targetOf(checkType: CheckType, settings: JsonObject): string | null {
  const { url } = kindOf(checkType).alertFacts({ settings }, null);
  return url === null ? null : maskUserInfo(url);
}
