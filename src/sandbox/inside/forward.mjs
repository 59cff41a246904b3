// Forwards the browser's connections: a thread with a SOCKS5 server on the run's own loopback (RFC 1928). SOCKS and not
// HTTP, so that an unreachable target is an error for the page and not a response of ours.
import { connect, createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** SOCKS error codes by error. */
const replies = { EGRESS_REFUSED: 2, ENETUNREACH: 3, EHOSTUNREACH: 4, ENOTFOUND: 4, EAI_AGAIN: 4, ECONNREFUSED: 5 };
/** Maximum length of a request. */
const maxBytes = 1024;

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  let held = Buffer.alloc(0);
  let isGreeted = false;
  const onData = (chunk) => {
    held = Buffer.concat([held, chunk]);
    if (!isGreeted) {
      if (held.length < 2 || held.length < 2 + held[1]) return;
      held = held.subarray(2 + held[1]);
      isGreeted = true;
      // No authentication.
      socket.write(Buffer.from([5, 0]));
    }
    const asked = readRequest(held);
    if (asked === null && held.length <= maxBytes) return;
    socket.off('data', onData).pause();
    if (asked === null) socket.destroy();
    else forward(socket, asked);
  };
  socket.on('error', () => socket.destroy()).on('data', onData);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }));

/** Parses a request: `5 1 0`, address type, address, port. Returns null if it is incomplete. */
function readRequest(bytes) {
  const [version, command, , sort, length] = bytes;
  if (bytes.length < 5 || version !== 5 || command !== 1) return null;
  const [from, to] = sort === 3 ? [5, 5 + length] : [4, sort === 1 ? 8 : 20];
  if (bytes.length < to + 2) return null;
  const address = bytes.subarray(from, to);
  const port = bytes.readUInt16BE(to);
  if (sort === 3) return { host: address.toString('latin1'), port };
  if (sort === 1) return { host: [...address].join('.'), port };
  return { host: address.toString('hex').match(/.{4}/g).join(':'), port };
}

function forward(socket, { host, port }) {
  const way = connect({ host, port, allowHalfOpen: true });
  const onFailed = ({ code, message }) => {
    parentPort.postMessage({ failure: { place: `${host}:${port}`, code, message } });
    socket.end(Buffer.from([5, replies[code] ?? 1, 0, 1, 0, 0, 0, 0, 0, 0]), () => socket.destroy());
  };
  const giveUp = () => way.destroy();
  way.once('error', onFailed);
  socket.once('close', giveUp);
  way.once('connect', () => {
    way.off('error', onFailed).on('error', () => socket.destroy());
    socket.off('close', giveUp).on('error', giveUp);
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    socket.pipe(way);
    way.pipe(socket);
    way.once('close', () => socket.end());
  });
}
