// A thread beside the script that has its browser's connections made: a SOCKS5 server on the run's own loopback (RFC 1928).
//
// SOCKS and not HTTP, because a target that is down must be an error for the page and never an answer of ours.
import { connect, createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** What is said of a connection that was not made. */
const replies = { EGRESS_REFUSED: 2, ENETUNREACH: 3, EHOSTUNREACH: 4, ENOTFOUND: 4, EAI_AGAIN: 4, ECONNREFUSED: 5 };
/** What a request may be long. */
const mostBytes = 1024;

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  let held = Buffer.alloc(0);
  let isGreeted = false;
  const onData = (chunk) => {
    held = Buffer.concat([held, chunk]);
    if (!isGreeted) {
      if (held.length < 2 || held.length < 2 + held[1]) return;
      held = held.subarray(2 + held[1]);
      isGreeted = true;
      // It need not say who it is.
      socket.write(Buffer.from([5, 0]));
    }
    const asked = readRequest(held);
    if (asked === null && held.length <= mostBytes) return;
    socket.off('data', onData).pause();
    if (asked === null) socket.destroy();
    else forward(socket, asked);
  };
  socket.on('error', () => socket.destroy()).on('data', onData);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }));

/** Where to: `5 1 0`, the sort of address, the address, the port; null = not all of it is there. */
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
