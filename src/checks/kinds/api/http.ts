// API checks as the HTTP probe sees them.
import type { HttpKind } from '../../parts/http/plan.ts';
import { httpSources } from '../../parts/http/schema.ts';
import { noDefaults, readDefaults, readSettings } from '../../parts/http/settings.ts';

export const http: HttpKind = {
  read: readSettings,
  defaultsOf: (group) => (group === null ? noDefaults : readDefaults(group.apiCheckDefaults)),
  sources: httpSources,
};
