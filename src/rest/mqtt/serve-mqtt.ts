// Accepts WebSocket connections with the sub-protocol `mqtt` on the port of the API.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '#domain/accounts/api-key.ts';
import { callerOf, type Authenticate } from '../authenticate.ts';
import type { Connections } from '../connections.ts';
import { HttpRefusal } from '../http-refusal.ts';
import type { Sending } from '../sending/request-bytes.ts';
import { createMqttBroker, type MqttBroker, type MqttBrokerOptions } from './mqtt-broker.ts';

/** What messages need. */
export type MqttOptions = Pick<MqttBrokerOptions, 'messages' | 'hints' | 'onForgotten'>;

interface Serving extends MqttOptions {
  readonly authenticate: Authenticate;
  /** Takes one from the allowance of a key, or of an address without a valid key; false = there is none. */
  readonly isAllowed: (of: { readonly keyId: string } | { readonly address: string }) => boolean;
  readonly connections: Connections | undefined;
  readonly sending: Sending;
}

/** Paths at which clients connect. */
const paths: ReadonlySet<string> = new Set(['/', '/mqtt']);
/** Clients send only their credentials and subscriptions. */
const maxPacketBytes = 16 * 1024;
/** Bytes that a connection may send at once, and per second in the long run. */
const receivedBytes = { burst: 64 * 1024, perSecond: 256 } as const;

/** Whether a request asks for MQTT. All other requests to upgrade are answered as if they did not ask. */
export function isMqttUpgrade({ headers, url = '', method }: IncomingMessage): boolean {
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const path = url.split('?', 1)[0] ?? '';
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return method === 'GET' && isWebSocket && paths.has(path) && protocols.includes('mqtt');
}

/** Serves from now on. @returns ends all connections */
export function serveMqtt(server: Server, serving: Serving): () => void {
  const sockets = new Set<WebSocket>();
  const webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxPacketBytes,
    perMessageDeflate: false,
    handleProtocols: () => 'mqtt',
  });
  let broker: Promise<MqttBroker> | null = null;
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      limitReceived(socket);
      sockets.add(webSocket);
      webSocket.once('close', () => sockets.delete(webSocket));
      // Created with the first connection, because most installations have none.
      broker ??= createMqttBroker({
        ...serving,
        stallMs: serving.sending.stallMs,
        authenticate: authenticateWith(serving),
        isAllowed: (keyId) => serving.isAllowed({ keyId }),
        reserve: (accountId, bytes) => serving.sending.reserveMessages(accountId, bytes),
      });
      const stream = createWebSocketStream(webSocket);
      stream.on('error', () => stream.destroy());
      void broker.then(
        ({ serve }) => serve(stream, socket.remoteAddress ?? '', () => serving.connections?.recognize(socket)),
        () => webSocket.terminate(),
      );
    });
  });
  return () => {
    void broker?.then(({ close }) => close());
    for (const webSocket of sockets) webSocket.terminate();
  };
}

/** Ends a connection that sends too much: an unfinished packet stays in memory, and each small one costs an answer. */
function limitReceived(socket: Socket): void {
  let [left, countedAt] = [receivedBytes.burst, performance.now()];
  socket.on('data', (chunk: Buffer) => {
    const now = performance.now();
    const gained = ((now - countedAt) / 1000) * receivedBytes.perSecond;
    left = Math.min(receivedBytes.burst, left + gained) - chunk.length;
    countedAt = now;
    if (left < 0) socket.destroy();
  });
}

/** Refuses like the API: an unknown key, an account that it cannot access, and too many attempts. */
function authenticateWith({ authenticate, isAllowed }: Serving): MqttBrokerOptions['authenticate'] {
  return async (accountId, key, address): Promise<Caller | null> => {
    const known = await authenticate(key, accountId);
    if (known === null) {
      if (address !== null) isAllowed({ address });
      return null;
    }
    if (address !== null && !isAllowed({ keyId: known.keyId })) return null;
    try {
      return callerOf(known, { 'x-service-account': accountId });
    } catch (error) {
      if (error instanceof HttpRefusal) return null;
      throw error;
    }
  };
}
