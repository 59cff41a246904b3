// Reads server-sent events with fetch, which can send the account ID and sees the status of an error.

/** One event of a stream. */
export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Calls `onEvent` for each event until the stream ends. Rejects with the error response, or like fetch. */
export async function readEvents(
  url: string,
  init: RequestInit,
  onEvent: (event: StreamEvent) => void,
  onSign: () => void,
): Promise<void> {
  const response = await fetch(url, init);
  if (!response.ok || response.body === null) throw new StreamRefused(response.status);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onSign();
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const event = parsed(part);
      if (event !== null) onEvent(event);
    }
  }
}

/** The server did not respond with a stream. */
export class StreamRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the event stream was refused with ${status}`);
    this.status = status;
  }
}

/** null = a comment, which only shows that the connection works. */
function parsed(block: string): StreamEvent | null {
  const fields = { id: '', event: 'message', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id' || name === 'event') fields[name] = value;
    else if (name === 'data') fields.data += value;
  }
  return fields.data === '' ? null : fields;
}
