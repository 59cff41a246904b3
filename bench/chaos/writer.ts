// A client that writes all the time and keeps what was acknowledged; what was not, it asks for again, as clients do.
import { type Service, pause } from '../support/service.ts';

/** What the service has said yes to. */
export interface Acknowledged {
  /** Values by key of the variables it took. */
  readonly variables: ReadonlyMap<string, string>;
  /** Calls of the trigger that it took, each with an idempotency key of its own. */
  readonly triggers: number;
}

export interface Writer {
  readonly acknowledged: Acknowledged;
  /** Writes to this service until it goes away; call again with the next one. */
  writeTo(service: Service): void;
  /** Ends writing, the last trigger call acknowledged by `service`. */
  finish(service: Service): Promise<void>;
}

const betweenMs = 60;

export function createWriter(groupId: number): Writer {
  const variables = new Map<string, string>();
  let triggers = 0;
  let written = 0;
  let openKey: string | null = null;
  let present: Service | null = null;

  const trigger = async (service: Service): Promise<void> => {
    openKey ??= `chaos-${triggers + 1}`;
    const answer = await service.call('POST', `/v1/triggers/check-groups/${groupId}`, undefined, {
      'idempotency-key': openKey,
    });
    if (answer.status !== 201) throw new Error(`the trigger answered ${answer.status}`);
    openKey = null;
    triggers++;
  };
  const isPresent = (service: Service): boolean => present === service;
  const loop = async (service: Service): Promise<void> => {
    while (isPresent(service)) {
      const key = `CHAOS_${++written}`;
      const value = `${key} at ${Date.now()}`;
      const { status } = await service.call('POST', '/v1/variables', { key, value });
      if (status === 201) variables.set(key, value);
      if (written % 10 === 0) await trigger(service);
      await pause(betweenMs);
    }
  };
  return {
    acknowledged: {
      variables,
      get triggers() {
        return triggers;
      },
    },
    writeTo(service) {
      present = service;
      // It ends with the service: a refused connection is what a kill looks like from outside.
      loop(service).catch(() => {});
    },
    async finish(service) {
      present = null;
      await pause(500);
      if (openKey !== null) await trigger(service);
    },
  };
}
