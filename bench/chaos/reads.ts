// Requests everything that a process shows through its API: an older process must be able to do so on a newer schema.
import type { Installation } from './installation.ts';
import type { Verdict } from './verdict.ts';
import type { ApiClient } from './writer.ts';

/** Status by path; 0 = no response in time. */
export type Shown = ReadonlyMap<string, number>;

/** Requests every page and list in the process's API description, using the first check where one is needed. */
export async function readAll(client: ApiClient, { checkIds, groupId }: Installation): Promise<Shown> {
  const { status, body } = await client.call('GET', '/v1/openapi.json');
  if (status !== 200) throw new Error(`the API description returned ${status}`);
  const { paths } = body as { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  const shown = new Map<string, number>();
  for (const [template, operations] of Object.entries(paths)) {
    // A token in the path means an external call with side effects, and a stream of events does not end.
    if (operations['get'] === undefined || template.includes('token}') || template === '/v1/events') continue;
    const id = idIn(template, { checkId: checkIds[0] ?? '', groupId });
    const path = template
      .replaceAll('{type}', 'api-checks')
      .replaceAll('{groupId}', String(groupId))
      .replace('{id}', id)
      .replaceAll(/\{\w+\}/g, checkIds[0] ?? '');
    const answer = await client.call('GET', path).catch(() => ({ status: 0 }));
    shown.set(path, answer.status);
  }
  return shown;
}

function idIn(template: string, { checkId, groupId }: { checkId: string; groupId: number }): string {
  if (template.startsWith('/v1/check-groups/')) return String(groupId);
  return template.startsWith('/v1/alert-channels/') ? '1' : checkId;
}

/**
 * Pages that worked still work, and no request fails with a server error.
 *
 * @param before statuses from a process of that version on its own schema; null = none
 * @param after statuses from processes of that version since
 */
export function judgeReads(guarantee: string, before: Shown | null, after: readonly Shown[]): Verdict {
  const asked = after.flatMap((shown) => [...shown]);
  const violations = asked.flatMap(([path, status]) => {
    const expected = before?.get(path) ?? status;
    if (status === expected && status > 0 && status < 500) return [];
    return [`GET ${path} returned ${status}${status === expected ? '' : `, before ${expected}`}`];
  });
  return { guarantee, checked: asked.length, violations: [...new Set(violations)] };
}
