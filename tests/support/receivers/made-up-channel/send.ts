// Sends the line of a delivery with its password in front; the answer `ok` delivers it.
import net from 'node:net';
import type { ChannelSender, SenderOptions } from '#channels/kind.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';

export function createLineSender({ guard, deadlineMs = 30_000 }: SenderOptions): ChannelSender {
  return {
    send: ({ request, startedAt, secrets }) =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(request.url);
        const end = (error: SendOutcome['error']): void => {
          socket.destroy();
          resolve({ startedAt, durationMs: Date.now() - startedAt, headers: [], response: null, error });
        };
        const { password } = secrets as { readonly password: string };
        const { end: lineEnd } = request.data as { readonly end: string };
        const socket = net.connect({ host: hostname, port: Number(port), lookup: guard.lookupFor(Number(port)) });
        socket.setTimeout(deadlineMs, () => end({ class: 'timeout', message: 'no answer' }));
        socket.on('error', ({ message }) => end({ class: 'connect', message }));
        socket.on('connect', () => socket.write(`${password} ${request.body}${lineEnd}`));
        socket.on('data', (answer: Buffer) =>
          end(
            answer.toString() === 'ok\n' ? null : { class: 'status', message: `answered ${answer.toString().trim()}` },
          ),
        );
      }),
    close: () => Promise.resolve(),
  };
}
