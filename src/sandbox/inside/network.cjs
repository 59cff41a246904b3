// Routes connections and lookups of Node.js through the gateway of the run, before any code of the script. For
// convenience, not for security: a script that undoes it has no network at all (docs/decisions/0089). A CommonJS
// module, so that --require loads it in every thread and every Node.js that the script starts.
'use strict';
const dns = require('node:dns');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');
const { callbackify, promisify } = require('node:util');

const gateway = '/tocsin/gateway/socket';
const connectPlainly = net.Socket.prototype.connect;
const hooks = Object.getOwnPropertySymbols(net.Socket.prototype);
/** Node.js uses this function to replace a socket's handle when the second address of a name answers. */
const takeHandle = hooks.find(({ description }) => description === 'kReinitializeHandle');

if (takeHandle !== undefined) {
  net.Socket.prototype.connect = connect;
  replaceLookups();
  syncBuiltinESMExports();
}

/** Replaces net.Socket's own. Connections to a path are unchanged. */
function connect(...words) {
  const [options, callback] = Array.isArray(words[0]) ? words[0] : net._normalizeArgs(words);
  if (options.path || options.port === undefined) return connectPlainly.apply(this, words);
  const host = String(options.host || 'localhost');
  const lookup = (_name, _options, failed) => {
    let giveUp = () => undefined;
    this.once('close', () => giveUp());
    hostsFor(host, options, (error, targets) => {
      if (error !== null) return failed(error);
      if (this.destroyed) return undefined;
      giveUp = reachFirst(targets, Number(options.port), (problem, handle, peer) => {
        if (problem !== null) failed(problem);
        else if (this.destroyed) handle.close();
        else take(this, host, handle, peer);
      });
      return undefined;
    });
  };
  // The socket looks up a name that never resolves; it gets a connected handle instead.
  const ours = { host: 'gateway.invalid', family: 4, autoSelectFamily: false, lookup };
  connectPlainly.call(this, { ...options, localAddress: undefined, localPort: undefined, ...ours }, callback);
  this._host = host;
  return this;
}

/** Returns the host to connect to: the name itself, or the results of the caller's own lookup. */
function hostsFor(host, { lookup, family, autoSelectFamily }, done) {
  if (typeof lookup !== 'function' || lookup === dns.lookup || net.isIP(host) > 0) return done(null, [host]);
  return lookup(host, { family: family ?? 0, all: autoSelectFamily === true }, (error, found) => {
    // The default lookup found nothing. A proxy may resolve names that are unknown here, so the gateway gets the name.
    if (error?.syscall === 'getaddrinfo' && !family) return done(null, [host]);
    return done(error ?? null, Array.isArray(found) ? found.map(({ address }) => address) : [found]);
  });
}

/** Delay before the next address is tried in parallel (RFC 8305 §5). */
const staggerMs = 250;

/** Connects to the first host that accepts. */
function reachFirst(hosts, port, done) {
  const attempts = new Set();
  let next = 0;
  let timer = null;
  let firstProblem = null;
  const stop = () => {
    clearTimeout(timer);
    for (const giveUp of attempts) giveUp();
    attempts.clear();
  };
  const tryNext = () => {
    clearTimeout(timer);
    const giveUp = reach(hosts[next++], port, (problem, handle, peer) => {
      attempts.delete(giveUp);
      if (problem === null) {
        stop();
        return done(null, handle, peer);
      }
      firstProblem ??= problem;
      if (next < hosts.length) return tryNext();
      return attempts.size === 0 ? done(firstProblem) : undefined;
    });
    attempts.add(giveUp);
    if (next < hosts.length) timer = setTimeout(tryNext, staggerMs).unref();
  };
  tryNext();
  return stop;
}

/** Gives the socket the handle and state of an established connection. */
function take(socket, host, handle, peer) {
  const isHeld = socket._handle?.hasRef?.() ?? true;
  // Taking the handle resets that the socket is to end after pending writes.
  const { writableEnded } = socket;
  socket[takeHandle](handle);
  if (writableEnded) Object.assign(socket._writableState, { ending: true, ended: true });
  if (!isHeld) socket.unref();
  handle.setNoDelay?.(true);
  socket.connecting = false;
  socket._sockname = null;
  if (peer !== null) socket._peername = peer;
  const address = peer?.address ?? socket.remoteAddress;
  if (net.isIP(host) === 0 && address !== undefined) socket.emit('lookup', null, address, net.isIP(address), host);
  socket._unrefTimer?.();
  socket.emit('connect');
  socket.emit('ready');
  if (!socket.destroyed && !socket.isPaused()) socket.read(0);
}

/**
 * Connects to the script's own servers on loopback, otherwise through the gateway. Calls `done` with an error, or with
 * the handle and the peer (null = the handle knows it).
 */
function reach(host, port, done) {
  const own = ownAddresses(host);
  let giveUp = () => undefined;
  const tryNext = () => {
    const address = own.shift();
    if (address === undefined) {
      giveUp = throughGateway(host, port, done);
      return;
    }
    const socket = new net.Socket();
    giveUp = () => socket.destroy();
    socket.once('error', tryNext);
    socket.once('connect', () => done(null, handleOf(socket), null));
    connectPlainly.call(socket, { host: address, port, autoSelectFamily: false });
  };
  tryNext();
  return () => giveUp();
}

function throughGateway(host, port, done) {
  return ask({ connect: host, port }, (error, answer, socket) => {
    if (error !== null) return done(asConnecting(error, host));
    const { address, port: peerPort } = answer;
    const peer = address ? { address, port: peerPort, family: `IPv${net.isIP(address)}` } : {};
    // From here on, data comes from the target.
    socket._handle.readStop();
    return socket.write('\n', (problem) => (problem ? done(problem) : done(null, handleOf(socket), peer)));
  });
}

/** Sends a request to the gateway. Calls `done` once, with an error or with the response and the open connection. */
function ask(request, done) {
  const socket = new net.Socket();
  let text = '';
  let isOver = false;
  const end = (error, answer) => {
    if (isOver) return;
    isOver = true;
    socket.removeAllListeners();
    socket.on('error', () => undefined);
    if (error !== null) socket.destroy();
    done(error, answer, socket);
  };
  const closed = (problem) =>
    end(
      problem?.code === 'EAGAIN'
        ? { code: 'EGRESS_LIMIT', message: 'the script opened too many connections at once' }
        : { code: 'ECONNREFUSED', message: 'the gateway of this run has closed or accepts no more connections' },
    );
  socket.on('data', (chunk) => {
    text += chunk.toString();
    if (!text.includes('\n')) return;
    const answer = JSON.parse(text);
    if (answer.error === undefined) end(null, answer);
    else end(answer.error);
  });
  socket.on('error', closed);
  socket.on('close', closed);
  connectPlainly.call(socket, { path: gateway });
  socket.write(`${JSON.stringify(request)}\n`);
  return () => {
    isOver = true;
    socket.destroy();
  };
}

/** Takes the handle out of a socket. */
function handleOf(socket) {
  const handle = socket._handle;
  socket.removeAllListeners();
  handle.readStop();
  handle.reading = false;
  socket._handle = null;
  socket.destroy();
  return handle;
}

const local = /^(?:localhost|.+\.localhost)\.?$/i;

/** Addresses of servers that the script may run itself. */
function ownAddresses(host) {
  if (local.test(host)) return ['127.0.0.1', '::1'];
  return /^127\.|^(?:::1|0\.0\.0\.0|::)$/.test(host) && net.isIP(host) > 0 ? [host] : [];
}

/** Converts a lookup error to the form of Node.js. */
function asLookUp({ code, message, ...more }, hostname) {
  if (code.startsWith('EGRESS')) return Object.assign(new Error(message), { code, hostname });
  const known = code === 'ENOTFOUND' || code === 'ENODATA' ? 'ENOTFOUND' : 'EAI_AGAIN';
  return Object.assign(new Error(`getaddrinfo ${known} ${hostname}`), {
    errno: undefined,
    ...more,
    code: known,
    syscall: 'getaddrinfo',
    hostname,
  });
}

/** Converts a connection error. */
function asConnecting(error, host) {
  const { code, message, syscall, address, port } = error;
  if (syscall?.startsWith('query')) return asLookUp(error, host);
  return Object.assign(new Error(message), { code, ...(syscall && { syscall }), ...(address && { address, port }) });
}

/** Calls `done` with an error or with addresses. */
function lookUp(hostname, family, done) {
  const version = net.isIP(hostname);
  if (version > 0) return process.nextTick(done, null, [hostname]);
  if (local.test(hostname)) {
    const both = ['127.0.0.1', '::1'].filter((address) => family === 0 || net.isIP(address) === family);
    return process.nextTick(done, null, both);
  }
  return ask({ lookup: hostname, family }, (error, answer) => {
    if (error !== null) done(asLookUp(error, hostname));
    else done(null, answer.addresses);
  });
}

function replaceLookups() {
  const plainly = dns.lookup;
  const familyOf = (family) => ({ 4: 4, IPv4: 4, 6: 6, IPv6: 6 })[family] ?? 0;
  const lookup = (hostname, options, callback) => {
    const done = callback ?? options;
    const wanted = typeof options === 'object' && options !== null ? options : { family: options };
    if (typeof hostname !== 'string' || hostname === '' || typeof done !== 'function')
      return plainly(hostname, options, callback);
    return lookUp(hostname, familyOf(wanted.family), (error, addresses) => {
      if (error !== null) return done(error);
      const found = addresses.map((address) => ({ address, family: net.isIP(address) }));
      if (wanted.all === true) return done(null, found);
      return done(null, found[0].address, found[0].family);
    });
  };
  const lookupLater = (hostname, options = {}) =>
    new Promise((resolve, reject) => {
      const wanted = typeof options === 'object' && options !== null ? options : { family: options };
      lookup(hostname, wanted, (error, found, family) => {
        if (error) reject(error);
        else resolve(wanted.all === true ? found : { address: found, family });
      });
    });
  lookup[promisify.custom] = lookupLater;
  dns.lookup = lookup;
  dns.promises.lookup = lookupLater;
  for (const place of [dns.promises, dns.promises.Resolver.prototype]) replaceQuestions(place, (asked) => asked());
  for (const place of [dns, dns.Resolver.prototype])
    replaceQuestions(place, (asked, callback) => callbackify(asked)(callback));
}

/** Only address lookups work; name servers are not reachable. */
function replaceQuestions(place, hand) {
  const addresses = (family) => (hostname, options) =>
    new Promise((resolve, reject) => {
      lookUp(hostname, family, (error, found) => {
        if (error !== null) reject(error);
        else resolve(options?.ttl === true ? found.map((address) => ({ address, ttl: 0 })) : found);
      });
    });
  const none = (name) => (hostname) => {
    const message = `${name} ENOTIMP ${hostname}: only address lookups are supported in scripts`;
    return Promise.reject(Object.assign(new Error(message), { code: 'ENOTIMP', syscall: name, hostname }));
  };
  const ways = { resolve4: addresses(4), resolve6: addresses(6) };
  for (const name of Object.getOwnPropertyNames(place)) {
    if (!/^(?:resolve|reverse)/.test(name) || typeof place[name] !== 'function') continue;
    const way = ways[name] ?? none(name);
    place[name] = (hostname, ...more) => {
      const sort = name === 'resolve' && typeof more[0] === 'string' ? more[0] : 'A';
      const kind = { A: ways.resolve4, AAAA: ways.resolve6 }[sort] ?? none(`resolve ${sort}`);
      return hand(() => (name === 'resolve' ? kind(hostname) : way(hostname, more[0])), more.at(-1));
    };
  }
}
