// Routes of runtimes (spec §4.1).
import type { RuntimeBody } from '#contract/checks/runtime.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { JsonText, type Route, route } from '../route.ts';
import { given } from '../wire.ts';

/** The installed runtimes: newest first, without removed ones. Refuses with `not-found`. */
export interface RuntimeActions {
  /** Returns the same array while nothing changes, so that it is serialized only once. */
  list(caller: Caller): readonly Runtime[];
  find(caller: Caller, name: string): Runtime;
}

export function runtimeRoutes(actions: RuntimeActions): Route[] {
  const written = new WeakMap<readonly Runtime[], JsonText>();
  return [
    route('listRuntimes', ({ caller }) => {
      const runtimes = actions.list(caller);
      const before = written.get(runtimes);
      if (before !== undefined) return before;
      const text = new JsonText(JSON.stringify(runtimes.map((runtime) => toWire(runtime))));
      written.set(runtimes, text);
      return text;
    }),
    route('getRuntime', ({ caller, params }) => toWire(actions.find(caller, params.name))),
  ];
}

function toWire(runtime: Runtime): RuntimeBody {
  const { name, multiStepSupport, nodeJsVersion, dependencies, stage, runtimeEndOfLife, description } = runtime;
  return {
    name,
    multiStepSupport,
    nodeJsVersion,
    dependencies: { ...dependencies },
    stage,
    ...given({ runtimeEndOfLife, description }),
  };
}
