// Everything that a process shows over its API, asked for: an older process must show it over a newer schema as well.
import type { Installation } from './installation.ts';
import type { Verdict } from './verdict.ts';
import type { Door } from './writer.ts';

/** What was asked for by path, and the status that answered; 0 = nothing did in time. */
export type Shown = ReadonlyMap<string, number>;

/** Asks for every page and list that the process says it has, of the first check where it is one check's. */
export async function readAll(door: Door, { checkIds, groupId }: Installation): Promise<Shown> {
  const { status, body } = await door.call('GET', '/v1/openapi.json');
  if (status !== 200) throw new Error(`the document of the API was answered ${status}`);
  const { paths } = body as { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  const shown = new Map<string, number>();
  for (const [template, operations] of Object.entries(paths)) {
    // What has a token in its path is a call from outside, which does something.
    if (operations['get'] === undefined || template.includes('token}')) continue;
    const id = idIn(template, { checkId: checkIds[0] ?? '', groupId });
    const path = template
      .replaceAll('{type}', 'api-checks')
      .replaceAll('{groupId}', String(groupId))
      .replace('{id}', id)
      .replaceAll(/\{\w+\}/g, checkIds[0] ?? '');
    const answer = await door.call('GET', path).catch(() => ({ status: 0 }));
    shown.set(path, answer.status);
  }
  return shown;
}

function idIn(template: string, { checkId, groupId }: { checkId: string; groupId: number }): string {
  if (template.startsWith('/v1/check-groups/')) return String(groupId);
  return template.startsWith('/v1/alert-channels/') ? '1' : checkId;
}

/**
 * What was shown is still shown, and nothing is answered as a fault of ours.
 *
 * @param before what a process of that version showed over the schema of its own; null = it had none
 * @param after what processes of that version showed since
 */
export function judgeReads(promise: string, before: Shown | null, after: readonly Shown[]): Verdict {
  const asked = after.flatMap((shown) => [...shown]);
  const breaches = asked.flatMap(([path, status]) => {
    const expected = before?.get(path) ?? status;
    if (status === expected && status > 0 && status < 500) return [];
    return [`GET ${path} is answered ${status}${status === expected ? '' : `, before ${expected}`}`];
  });
  return { promise, tried: asked.length, breaches: [...new Set(breaches)] };
}
