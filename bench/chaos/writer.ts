// A client that writes all the time and keeps what was acknowledged; what was not, it asks for again, as clients do.
import { type Service, pause } from '../support/service.ts';

/** What the service has said yes to. */
export interface Acknowledged {
  /** Values by key of the variables it took. */
  readonly variables: ReadonlyMap<string, string>;
  /** Values by key of those of which nothing was heard, or that it was unavailable: they may be there or not. */
  readonly doubted: ReadonlyMap<string, string>;
  /** Calls of the trigger that it took, each with an idempotency key of its own. */
  readonly triggers: number;
  /** When writes were acknowledged, epoch ms. */
  readonly instants: readonly number[];
  /** Answers that were neither a yes nor that it is unavailable. */
  readonly odd: readonly string[];
}

/** Where to write. */
export type Door = Pick<Service, 'call'>;

export interface Writer {
  readonly acknowledged: Acknowledged;
  /** Writes through these from now on: through one until it fails, then through the next. */
  writeTo(doors: readonly Door[]): void;
  /** Ends writing, the last trigger call acknowledged through `door`. */
  finish(door: Door): Promise<void>;
}

/** Writes for each call of the trigger. */
const writesPerTrigger = 10;

/** @param pauseMs between two writes, ms */
export function createWriter(groupId: number, pauseMs = 60): Writer {
  const [variables, doubted] = [new Map<string, string>(), new Map<string, string>()];
  const [instants, odd]: [number[], string[]] = [[], []];
  let triggers = 0;
  let written = 0;
  let openKey: string | null = null;
  let doors: readonly Door[] = [];
  const over = new AbortController();
  let loop: Promise<void> | null = null;

  const trigger = async (door: Door): Promise<void> => {
    openKey ??= `chaos-${triggers + 1}`;
    const headers = { 'idempotency-key': openKey };
    const { status, body } = await door.call('POST', `/v1/triggers/check-groups/${groupId}`, undefined, headers);
    if (status !== 201 && status !== 503) odd.push(`a trigger was answered ${status} ${JSON.stringify(body)}`);
    if (status !== 201) throw new Error(`the trigger was answered ${status}`);
    openKey = null;
    triggers++;
  };
  const write = async (door: Door): Promise<void> => {
    const key = `CHAOS_${++written}`;
    const value = `${key} at ${Date.now()}`;
    doubted.set(key, value);
    const { status, body } = await door.call('POST', '/v1/variables', { key, value }).catch((error: unknown) => {
      if (isRefused(error)) doubted.delete(key);
      throw error;
    });
    if (status !== 201 && status !== 503) odd.push(`a variable was answered ${status} ${JSON.stringify(body)}`);
    if (status !== 201) throw new Error(`the variable was answered ${status}`);
    doubted.delete(key);
    variables.set(key, value);
    instants.push(Date.now());
  };
  const writeOn = async (): Promise<void> => {
    for (let tick = 0; !over.signal.aborted; await pause(pauseMs)) {
      const door = doors[tick % doors.length];
      if (door === undefined) continue;
      try {
        await write(door);
        if (openKey !== null || written % writesPerTrigger === 0) await trigger(door);
      } catch {
        tick++;
      }
    }
  };
  return {
    acknowledged: {
      variables,
      doubted,
      instants,
      odd,
      get triggers() {
        return triggers;
      },
    },
    writeTo(present) {
      doors = present;
      loop ??= writeOn();
    },
    async finish(door) {
      over.abort();
      await loop;
      if (openKey !== null) await trigger(door);
    },
  };
}

/** Whether nobody listened there: then nothing was written. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
