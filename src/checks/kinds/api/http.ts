// API checks as the HTTP probe sees them.
import type { JsonObject } from '#domain/json.ts';
import type { HttpKind } from '../../parts/http/plan.ts';
import { type HttpSettings, httpSources, noDefaults, readDefaults, withoutEmptyAuth } from '../../parts/http/schema.ts';
import { readerOf } from '../../schema.ts';
import { apiSchema } from './schema.ts';

const read = readerOf(apiSchema);

/** Reads the settings of an API check. */
export function readSettings(settings: JsonObject): HttpSettings {
  const { request, ...others } = read(settings);
  return { ...withoutEmptyAuth(request), ...others };
}

export const http: HttpKind = {
  read: readSettings,
  defaultsOf: (group) => (group === null ? noDefaults : readDefaults(group.apiCheckDefaults)),
  sources: httpSources,
};
