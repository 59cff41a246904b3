// Content of a delivery whose rendering may fail.
import { errorMessage } from '#lib/errors.ts';
import type { DeliveryFacts, Prepared } from '#domain/results/recording.ts';

/**
 * An error affects only its own delivery, not the result or other deliveries: the delivery fails when it is rendered,
 * where its channel is marked.
 */
export function prepareSafely(
  render: (facts: DeliveryFacts) => Prepared,
  facts: DeliveryFacts,
): Exclude<Prepared, { error: string }> {
  let prepared: Prepared;
  try {
    prepared = render(facts);
  } catch (cause) {
    const fault = `The delivery could not be rendered: ${errorMessage(cause)}`;
    prepared = { error: fault };
  }
  return 'error' in prepared ? { content: { variables: {}, groupId: null, fault: prepared.error } } : prepared;
}
