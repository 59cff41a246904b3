// Parses server-sent events. Loads no schemas, so that the web UI can use it.

/** One event of a stream. */
export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/**
 * Calls `onEvent` for each event until the stream ends; rejects if it breaks.
 * @param onSign called for every part that arrives, comments included
 */
export async function readEventStream(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
  onSign: () => void = () => undefined,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onSign();
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const event = parsed(part);
      if (event !== null) onEvent(event);
    }
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
