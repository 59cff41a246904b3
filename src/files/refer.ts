// References between resources of files: by logical ID in files, as `{ref}` in declarations.
import { references, sections } from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { DeclaredResource, ResourceType } from '#domain/projects/resource.ts';
import { nearestName } from '#lib/nearest.ts';

type Named = Pick<DeclaredResource, 'type' | 'logicalId'>;
type Report = (message: string, path: string) => void;
type Change = (value: JsonValue, path: string) => JsonValue;

/**
 * Replaces the logical IDs in a payload by references. An ID of the API stays.
 * @param resources all that the files declare
 */
export function referencing(resources: readonly Named[]): (payload: JsonObject, report: Report) => JsonObject {
  const declared = new Map(sections.map(({ type }) => [type, new Set<string>()]));
  for (const { type, logicalId } of resources) declared.get(type)?.add(logicalId);
  const referTo = (type: ResourceType, value: JsonValue, path: string, report: Report): JsonValue => {
    if (typeof value !== 'string') return value;
    const names = declared.get(type) ?? new Set();
    if (names.has(value)) return { ref: value };
    if (type === 'check' && uuid.test(value)) return value;
    const noun = sections.find((section) => section.type === type)?.noun ?? type;
    const meant = nearestName(value, names);
    const hint = meant === null ? '' : `; did you mean "${meant}"?`;
    report(`there is no ${noun} "${value}" in these files${hint}`, path);
    return value;
  };
  return (payload, report) =>
    Object.entries(references).reduce<JsonObject>(
      (changed, [path, type]) =>
        changedAt(changed, path.split('.'), '', (value, at) => referTo(type, value, at, report)) as JsonObject,
      withSubscriptions(payload),
    );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A list of channels stands for subscriptions. */
function withSubscriptions(payload: JsonObject): JsonObject {
  const { alertChannelSubscriptions: listed } = payload;
  if (!Array.isArray(listed)) return payload;
  const subscriptions = (listed as readonly JsonValue[]).map((each) =>
    typeof each === 'string' || typeof each === 'number' ? { alertChannelId: each } : each,
  );
  return { ...payload, alertChannelSubscriptions: subscriptions };
}

/** The value with another one at a path such as `alertChannelSubscriptions[].alertChannelId`. */
export function changedAt(value: JsonValue, steps: readonly string[], path: string, change: Change): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value, path);
  const name = step.replace('[]', '');
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return value;
  const object = value as JsonObject;
  const field = object[name] ?? null;
  const at = path === '' ? name : `${path}.${name}`;
  if (!step.endsWith('[]')) return { ...object, [name]: changedAt(field, rest, at, change) };
  if (!Array.isArray(field)) return object;
  const items = field as readonly JsonValue[];
  return { ...object, [name]: items.map((item, index) => changedAt(item, rest, `${at}[${index}]`, change)) };
}
