// Parses declared resources by the schemas of the operations that create them, in slices of time.
import { setImmediate as breathe } from 'node:timers/promises';
import type { ParseInputs, ResourceInput, ResourceInputs } from '#actions/projects/inputs.ts';
import { operations } from '#contract/operations.ts';
import { anyCheckCreate, kindBodies } from '#contract/checks/check.ts';
import { type DeclaredResource, resolved, type Resolve, type ResourceType } from '#domain/projects/resource.ts';
import { type Faults, maxFaults } from '#lib/schema/faults.ts';
import { inputOf } from '../checks/checks.ts';
import { windowInput } from '../checks/maintenance-windows.ts';
import { faultsRefused, parsed } from '../input.ts';
import { pageInput } from '../status-pages/status-pages.ts';

/** How long parsing goes on before others do, ms. */
const sliceMs = 8;

type Parse<Type extends ResourceType> = (payload: object, faults: Faults) => ResourceInputs[Type] | undefined;

/** The parser of each type; undefined = invalid, and the faults have the reasons. */
const parsers: { readonly [Type in ResourceType]: Parse<Type> } = {
  variable: (payload, faults) => parsed(operations.createVariable.body, payload, faults),
  'private-location': (payload, faults) => parsed(operations.createPrivateLocation.body, payload, faults),
  snippet: (payload, faults) => parsed(operations.createSnippet.body, payload, faults),
  'alert-channel': (payload, faults) => parsed(operations.createAlertChannel.body, payload, faults),
  'check-group': (payload, faults) => parsed(operations.createCheckGroupV2.body, payload, faults),
  check: (payload, faults) => {
    const check = parsed(createOf(payload), payload, faults);
    return check && { ...inputOf(check), checkType: check.checkType };
  },
  'maintenance-window': (payload, faults) => {
    const body = parsed(operations.createMaintenanceWindow.body, payload, faults);
    return body && windowInput(body);
  },
  'status-service': (payload, faults) => parsed(operations.createStatusService.body, payload, faults),
  'status-page': (payload, faults) => {
    const body = parsed(operations.createStatusPage.body, payload, faults);
    return body && pageInput(body);
  },
};

/** The schema of the type, which takes what clients of that type send. */
function createOf(payload: object) {
  const kind = kindBodies.find(({ schema }) => 'checkType' in payload && payload.checkType === schema.type);
  return kind?.create ?? anyCheckCreate;
}

/** Refuses (400) with the faults of all resources, by path. */
export function parseDeclared(resources: readonly DeclaredResource[]): ParseInputs {
  return async (resolve) => {
    const faults: Faults = {};
    const inputs: ResourceInput[] = [];
    let pausedAt = performance.now();
    for (const [index, resource] of resources.entries()) {
      if (performance.now() - pausedAt > sliceMs) {
        await breathe();
        pausedAt = performance.now();
      }
      const own: Faults = {};
      const input = inputFor(resource, resolve, own);
      if (input !== null) inputs.push(input);
      for (const [path, message] of Object.entries(own)) {
        faults[`resources[${index}].payload${path === '' ? '' : `.${path}`}`] = message;
      }
      if (Object.keys(faults).length >= maxFaults) break;
    }
    if (Object.keys(faults).length > 0) throw faultsRefused(faults);
    return inputs;
  };
}

function inputFor(
  { type, logicalId, payload }: DeclaredResource,
  resolve: Resolve,
  faults: Faults,
): ResourceInput | null {
  const { payload: body, dangling } = resolved(payload, resolve);
  for (const { path, message } of dangling) faults[path] = message;
  if (dangling.length > 0) return null;
  const input = parsers[type](body, faults);
  if (input === undefined) return null;
  // The parser is that of the type.
  return { type, logicalId, input, isSubscribing: 'alertChannelSubscriptions' in payload } as ResourceInput;
}
