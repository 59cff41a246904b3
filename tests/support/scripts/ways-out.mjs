// Beside a script that tries to get out: ways to get somewhere that several such scripts try.
import net from 'node:net';

/** Connected, or why not. */
export const opened = (socket, event = 'connect') =>
  new Promise((resolve, reject) => {
    socket.setTimeout(5000, () => socket.destroy(new Error('too late')));
    socket.once(event, () => {
      socket.destroy();
      resolve('reached');
    });
    socket.once('error', reject).once('close', () => reject(new Error('closed')));
  });

/** Asks the gateway of the run itself, past what leads there. */
export const askingGateway = async ({ host, port }) => {
  const socket = net.connect('/tocsin/gateway/socket');
  socket.write(`${JSON.stringify({ connect: host, port })}\n`);
  const answer = await new Promise((resolve, reject) => {
    socket.once('data', (data) => resolve(JSON.parse(data.toString()))).once('error', reject);
  });
  socket.destroy();
  if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
  return 'reached';
};
