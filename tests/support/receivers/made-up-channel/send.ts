// Sends the line of a delivery with its password in front; the answer `ok` delivers it.
import type { ChannelSender, SenderOptions } from '#channels/kind.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { tunnelOf } from '#lib/net/guarded.ts';

export function createLineSender({ guard, deadlineMs = 30_000 }: SenderOptions): ChannelSender {
  return {
    send: ({ request, startedAt, secrets }) =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(request.url);
        const end = (error: SendOutcome['error']): void => {
          resolve({ startedAt, durationMs: Date.now() - startedAt, headers: [], response: null, error });
        };
        const { password } = secrets as { readonly password: string };
        const { end: lineEnd } = request.data as { readonly end: string };
        tunnelOf(guard)({ host: hostname, port: Number(port) }, (error, socket) => {
          if (socket === null) return end({ class: 'connect', message: error?.message ?? 'no connection' });
          socket.setTimeout(deadlineMs, () => socket.destroy(new Error('no answer')));
          socket.on('error', ({ message }) => end({ class: 'connect', message }));
          socket.write(`${password} ${request.body}${lineEnd}`);
          socket.on('data', (answer: Buffer) => {
            const text = answer.toString();
            end(text === 'ok\n' ? null : { class: 'status', message: `answered ${text.trim()}` });
            socket.destroy();
          });
        });
      }),
    close: () => Promise.resolve(),
  };
}
