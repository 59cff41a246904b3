// A client that writes continuously, records what was acknowledged, and retries the rest like any client.
import { type Service, pause } from '../support/service.ts';

/** Writes by their outcome. */
export interface Acknowledged {
  /** Values of acknowledged variables by key. */
  readonly variables: ReadonlyMap<string, string>;
  /** Values of variables by key without a response or with a 503: they may exist or not. */
  readonly unconfirmed: ReadonlyMap<string, string>;
  /** Acknowledged calls of the trigger, each with its own idempotency key. */
  readonly triggers: number;
  /** Times of acknowledged writes, epoch ms. */
  readonly instants: readonly number[];
  /** Unexpected responses, other than success or 503. */
  readonly odd: readonly string[];
}

/** Client of the API. */
export type ApiClient = Pick<Service, 'call'>;

export interface Writer {
  readonly acknowledged: Acknowledged;
  /** Uses these clients from now on: one until it fails, then the next. */
  writeTo(clients: readonly ApiClient[]): void;
  /** Stops writing; the last trigger call is acknowledged through `client`. */
  finish(client: ApiClient): Promise<void>;
}

/** Writes per call of the trigger. */
const writesPerTrigger = 10;

/** @param pauseMs between two writes, ms */
export function createWriter(groupId: number, pauseMs = 60): Writer {
  const [variables, unconfirmed] = [new Map<string, string>(), new Map<string, string>()];
  const [instants, odd]: [number[], string[]] = [[], []];
  let triggers = 0;
  let written = 0;
  let openKey: string | null = null;
  let clients: readonly ApiClient[] = [];
  const over = new AbortController();
  let loop: Promise<void> | null = null;

  const trigger = async (client: ApiClient): Promise<void> => {
    openKey ??= `chaos-${triggers + 1}`;
    const headers = { 'idempotency-key': openKey };
    const { status, body } = await client.call('POST', `/v1/triggers/check-groups/${groupId}`, undefined, headers);
    if (status !== 201 && status !== 503) odd.push(`the trigger returned ${status} ${JSON.stringify(body)}`);
    if (status !== 201) throw new Error(`the trigger returned ${status}`);
    openKey = null;
    triggers++;
  };
  const write = async (client: ApiClient): Promise<void> => {
    const key = `CHAOS_${++written}`;
    const value = `${key} at ${Date.now()}`;
    unconfirmed.set(key, value);
    const { status, body } = await client.call('POST', '/v1/variables', { key, value }).catch((error: unknown) => {
      if (isRefused(error)) unconfirmed.delete(key);
      throw error;
    });
    if (status !== 201 && status !== 503) odd.push(`a variable returned ${status} ${JSON.stringify(body)}`);
    if (status !== 201) throw new Error(`the variable returned ${status}`);
    unconfirmed.delete(key);
    variables.set(key, value);
    instants.push(Date.now());
  };
  const writeOn = async (): Promise<void> => {
    for (let tick = 0; !over.signal.aborted; await pause(pauseMs)) {
      const client = clients[tick % clients.length];
      if (client === undefined) continue;
      try {
        await write(client);
        if (openKey !== null || written % writesPerTrigger === 0) await trigger(client);
      } catch {
        tick++;
      }
    }
  };
  return {
    acknowledged: {
      variables,
      unconfirmed,
      instants,
      odd,
      get triggers() {
        return triggers;
      },
    },
    writeTo(present) {
      clients = present;
      loop ??= writeOn();
    },
    async finish(client) {
      over.abort();
      await loop;
      if (openKey !== null) await trigger(client);
    },
  };
}

/** Whether the connection was refused, so that nothing was written. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
