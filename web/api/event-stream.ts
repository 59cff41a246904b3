// Reads server-sent events with fetch, which can send the account ID and sees the status of an error.

import { readEventStream, type StreamEvent } from '#contract/event-stream.ts';

/** Calls `onEvent` for each event until the stream ends. Rejects with the error response, or like fetch. */
export async function readEvents(
  url: string,
  init: RequestInit,
  onEvent: (event: StreamEvent) => void,
  onSign: () => void,
): Promise<void> {
  const response = await fetch(url, init);
  if (!response.ok || response.body === null) throw new StreamRefused(response.status);
  await readEventStream(response.body, onEvent, onSign);
}

/** The server did not respond with a stream. */
export class StreamRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the event stream was refused with ${status}`);
    this.status = status;
  }
}
