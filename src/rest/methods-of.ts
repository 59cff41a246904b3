// Finds the methods of a path, to distinguish a wrong method from an unknown path.
import type { Operation } from '#contract/operation.ts';
import type { MountedRoute } from './route.ts';

/** Methods an operation is mounted under. PUT merges, so PATCH (RFC 7396) is the same operation. */
export function methodsOfOperation({ method }: Pick<Operation, 'method'>): string[] {
  return method === 'PUT' ? ['PUT', 'PATCH'] : [method];
}

/** The methods of all operations whose path matches; empty for an unknown path. Called only if no route matched. */
export function methodsOf(path: string, routes: readonly MountedRoute[]): string[] {
  const parts = path.split('/');
  const methods = new Set<string>();
  for (const { operation } of routes) {
    const pattern = operation.path.split('/');
    if (pattern.length !== parts.length) continue;
    const fits = pattern.every((part, index) => part === parts[index] || (part.startsWith('{') && parts[index] !== ''));
    if (!fits) continue;
    for (const method of methodsOfOperation(operation)) methods.add(method);
    if (operation.method === 'GET' && operation.refusesHead !== true) methods.add('HEAD');
  }
  return [...methods];
}
