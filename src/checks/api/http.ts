// What an HTTP probe has to know of API checks.
import type { HttpKind } from '../http/plan.ts';
import { httpSources, readDefaults, readSettings } from '../http/settings.ts';

export const http: HttpKind = {
  read: readSettings,
  defaultsOf: (group) => readDefaults(group?.apiCheckDefaults ?? {}),
  sources: httpSources,
};
