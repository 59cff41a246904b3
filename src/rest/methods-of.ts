// Finds the methods of a path, to distinguish a wrong method from an unknown path.
import type { Operation } from '#contract/operation.ts';
import type { MountedRoute } from './route.ts';

/** Methods an operation is mounted under. PUT merges, so PATCH (RFC 7396) is the same operation. */
export function methodsOfOperation({ method }: Pick<Operation, 'method'>): string[] {
  return method === 'PUT' ? ['PUT', 'PATCH'] : [method];
}

/** Returns the methods of all operations whose path matches; empty for an unknown path. */
export type MethodsOf = (path: string) => string[];

/** Prepares the patterns once, because every request for a page of the web UI asks. Called only if no route matched. */
export function createMethodsOf(routes: readonly Pick<MountedRoute, 'operation'>[]): MethodsOf {
  const prepared = routes.map(({ operation }) => {
    const source = operation.path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+');
    const head = operation.method === 'GET' && operation.refusesHead !== true ? ['HEAD'] : [];
    return { pattern: new RegExp(`^${source}$`), methods: [...methodsOfOperation(operation), ...head] };
  });
  return (path) => [...new Set(prepared.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])))];
}
