// The types of resources that a deployment writes, in the order of `resourceTypes`.
import type { ResourceType } from '#domain/projects/resource.ts';
import type { StoredKind } from './kind.ts';
import { alertChannelKind } from './kinds/alert-channels.ts';
import { checkGroupKind } from './kinds/check-groups.ts';
import { checkKind } from './kinds/checks.ts';
import { maintenanceWindowKind } from './kinds/maintenance-windows.ts';
import { privateLocationKind } from './kinds/private-locations.ts';
import { statusPageKind } from './kinds/status-pages.ts';
import { statusServiceKind } from './kinds/status-services.ts';
import { snippetKind } from './kinds/snippets.ts';
import { variableKind } from './kinds/variables.ts';

export const storedKinds: { readonly [Type in ResourceType]: StoredKind<Type> } = {
  variable: variableKind,
  'private-location': privateLocationKind,
  snippet: snippetKind,
  'alert-channel': alertChannelKind,
  'check-group': checkGroupKind,
  check: checkKind,
  'maintenance-window': maintenanceWindowKind,
  'status-service': statusServiceKind,
  'status-page': statusPageKind,
};
