// Writes a heartbeat of this process, so that others know it is alive and the next start knows how long nothing ran.
import { heartbeatIntervalMs } from '#domain/accounts/process.ts';

export interface SignOfLifeOptions {
  readonly ownProcess: { sign(): Promise<void> };
}

/** One tick. Returns the delay until the next one, ms. */
export function createProcessHeartbeat({ ownProcess }: SignOfLifeOptions): () => Promise<number> {
  return async () => {
    await ownProcess.sign();
    return heartbeatIntervalMs;
  };
}
