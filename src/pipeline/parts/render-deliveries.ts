// Renders claimed deliveries outside of any transaction and stores each request before sending it (docs/decisions/0120).
import { errorMessage } from '#lib/errors.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { DueDelivery, Message, RenderInput } from '#domain/deliveries/delivery.ts';
import { notRendered } from '#domain/deliveries/failing-channel.ts';
import type { Rendered } from '#domain/results/recording.ts';
import type { Clock } from '#lib/clock.ts';
import { FairQueue } from '#lib/fair-queue.ts';

type OwnedId = Pick<DueDelivery, 'accountId' | 'id'>;

export interface RenderStore {
  /** In the order of the deliveries; null = nothing is stored. */
  readContents(deliveries: readonly OwnedId[]): Promise<readonly (RenderInput | null)[]>;
  /** In the same order; null = the delivery failed. */
  saveRendered(
    rendered: readonly (OwnedId & { readonly rendered: Rendered })[],
    rules: { readonly owner: string; readonly now: number },
  ): Promise<readonly (Message | null)[]>;
}

/** A delivery leased by this process. */
interface Claimed {
  readonly delivery: DueDelivery;
  readonly channel: AlertChannel;
}

export interface RenderDeliveriesOptions<Claim extends Claimed> {
  readonly store: RenderStore;
  readonly owner: string;
  readonly clock: Clock;
  readonly render: (channel: AlertChannel, input: RenderInput, createdAt: number) => Rendered;
  readonly send: (delivery: DueDelivery & { readonly request: Message }, claimed: Claim) => void;
  /** Called for a delivery that could not be rendered or stored: this claim does not send it. */
  readonly drop: (claimed: Claim) => void;
  /** Called for a delivery that has ended because it could not be rendered. */
  readonly onUnrendered?: (delivery: DueDelivery, reason: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of requests stored per commit; accounts take turns. */
const rendersPerCommit = 25;
/** Rendering yields to the event loop after this time, ms. */
const sliceMs = 5;

/** Renders added deliveries, with accounts taking turns. */
export function createRenderDeliveries<Claim extends Claimed>(options: RenderDeliveriesOptions<Claim>) {
  const { store, owner, clock, send, drop, onUnrendered, onError } = options;
  const waiting = new FairQueue<Claim>();
  let isRunning = false;

  const renderSome = async (some: readonly Claim[]): Promise<void> => {
    const contents = await store.readContents(some.map(({ delivery }) => delivery));
    const rendered: (OwnedId & { readonly rendered: Rendered })[] = [];
    let sliceEndsAt = performance.now() + sliceMs;
    for (const [index, { delivery, channel }] of some.entries()) {
      const { accountId, id, createdAt } = delivery;
      rendered.push({ accountId, id, rendered: renderOne(options, channel, contents[index] ?? null, createdAt) });
      if (performance.now() < sliceEndsAt) continue;
      await new Promise(setImmediate);
      sliceEndsAt = performance.now() + sliceMs;
    }
    const requests = await store.saveRendered(rendered, { owner, now: clock.now() });
    for (const [index, claimed] of some.entries()) {
      const request = requests[index] ?? null;
      if (request !== null) {
        send({ ...claimed.delivery, request }, claimed);
        continue;
      }
      drop(claimed);
      const one = rendered[index]?.rendered;
      if (one !== undefined && 'error' in one) onUnrendered?.(claimed.delivery, one.reason ?? notRendered);
    }
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    // Waits for the rest of the deliveries claimed in this tick.
    await new Promise(setImmediate);
    while (waiting.size > 0) {
      const some = Array.from({ length: Math.min(waiting.size, rendersPerCommit) }, () => waiting.next()).filter(
        (claimed) => claimed !== undefined,
      );
      await renderSome(some).catch((error: unknown) => {
        for (const claimed of some) drop(claimed);
        onError(error);
      });
    }
    isRunning = false;
  };
  return {
    add(claimed: Claim): void {
      waiting.add(claimed.delivery.accountId, claimed);
      if (!isRunning) void run();
    },
    /** Drops all waiting deliveries. */
    stop(): void {
      for (let claimed = waiting.next(); claimed !== undefined; claimed = waiting.next()) drop(claimed);
    },
  };
}

/** A renderer error fails only its own delivery. */
function renderOne(
  { render }: Pick<RenderDeliveriesOptions<Claimed>, 'render'>,
  channel: AlertChannel,
  input: RenderInput | null,
  createdAt: number,
): Rendered {
  if (input === null) return { error: 'The content of this delivery is missing from the database.' };
  if (input.fault !== undefined) return { error: input.fault };
  try {
    return render(channel, input, createdAt);
  } catch (cause) {
    return { error: `The delivery could not be rendered: ${errorMessage(cause)}` };
  }
}
