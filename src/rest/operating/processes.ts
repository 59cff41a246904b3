// Route of processes (decisions: Resources of our own).
import type { ListedProcess, ProcessActions } from '#actions/operating/processes.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

export function processRoutes(actions: ProcessActions): Route[] {
  return [route('listProcesses', async ({ caller }) => (await actions.list(caller)).map(onWire))];
}

function onWire({ id, roles, version, location, host, pid, startedAt, seenAt, isAlive, holds }: ListedProcess) {
  return {
    id,
    roles: [...roles],
    version,
    location: location.code,
    host,
    pid,
    startedAt: isoText(startedAt),
    lastSeenAt: isoText(seenAt),
    status: isAlive ? ('alive' as const) : ('silent' as const),
    holds: { ...holds },
  };
}
