// Names the resources of a deployment in a refusal: the `checkly` command line prints only the message.
import { namedPath } from '#actions/projects/plan.ts';
import type { DeclaredResource } from '#domain/projects/resource.ts';
import { Refusal } from '#actions/refusal.ts';
import { HttpRefusal } from '../../http-refusal.ts';

/** Faults that a message lists. */
const most = 20;

/** The same refusal with `check "home": request.url …` in place of `resources[3].payload.request.url …`. */
export function namingResources(error: unknown, resources: readonly DeclaredResource[]): unknown {
  const isInvalid = (error instanceof Refusal && error.code === 'invalid') || error instanceof HttpRefusal;
  const faults = isInvalid ? Object.entries(error.attributes ?? {}) : [];
  if (faults.length === 0) return error;
  const lines = faults.slice(0, most).map(([path, message]) => `${namedPath(path, resources)} ${String(message)}`);
  const more = faults.length > most ? [`and ${faults.length - most} more`] : [];
  return new HttpRefusal(400, [...lines, ...more].join('\n'), { attributes: Object.fromEntries(faults) });
}
