// References between resources of files: by logical ID in files, as `{ref}` in declarations.
import { references, sections } from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { DeclaredResource, ResourceType } from '#domain/projects/resource.ts';
import { nearestName } from '#lib/nearest.ts';
import { changedAt } from './from-api.ts';

type Named = Pick<DeclaredResource, 'type' | 'logicalId'>;
type Report = (message: string, path: string) => void;

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
    if (hasUuids.has(type) && uuid.test(value)) return value;
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

/** Types whose resources outside of the files can be named by the ID of the API, which is a text. */
const hasUuids: ReadonlySet<ResourceType> = new Set(['check', 'status-service']);
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
