// Route of what an account uses of its limits.
import type { UsageActions } from '#actions/operating/usage.ts';
import { type Route, route } from '../route.ts';

export function usageRoutes(usage: UsageActions): Route[] {
  return [route('listUsage', ({ caller }) => usage.list(caller))];
}
