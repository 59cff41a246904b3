// An S3 server on loopback (s3rver) that also checks the signature of each request, as Amazon does.
import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './scripted-server.ts';

/** What is used of it. */
interface S3rver {
  callback(): (request: unknown, response: unknown) => void;
  configureBuckets(): Promise<void>;
}
type S3rverClass = new (options: Readonly<Record<string, unknown>>) => S3rver;

export interface S3Server {
  /** Address of the bucket `pages`. */
  readonly url: string;
  readonly key: { readonly keyId: string; readonly secret: string };
  /** Method and path of each request that was accepted. */
  readonly accepted: readonly string[];
  /** A file; null = there is none. */
  read(path: string): Promise<{ readonly headers: Headers; readonly text: string } | null>;
  /** How it treats requests from now on. */
  treat(how: 'well' | 'hang' | 'refuse'): void;
}

/** The package has no types. */
const untyped: string = 's3rver';
const key = { keyId: 'S3RVER', secret: 'S3RVER' };
const bucket = 'pages';
/** Header of requests of `read`, which need no signature. */
const ofReader = 'x-test-reader';

export async function startS3Server(t: Cleanup): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-s3-'));
  const { default: Server } = (await import(untyped)) as { readonly default: S3rverClass };
  const s3 = new Server({ silent: true, directory, configureBuckets: [{ name: bucket }] });
  await s3.configureBuckets();
  const answer = s3.callback();
  const accepted: string[] = [];
  let how: Parameters<S3Server['treat']>[0] = 'well';
  const server = createServer((request, response) => {
    if (how === 'hang') return;
    const isReader = request.headers[ofReader] === 'yes';
    if (!isReader && (how === 'refuse' || !isSigned(request))) {
      const body = '<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>canary</Message></Error>';
      response.writeHead(403, { 'content-type': 'application/xml' }).end(body);
      return;
    }
    if (!isReader) accepted.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${bucket}`;
  return {
    url,
    key,
    accepted,
    read,
    treat: (next) => {
      how = next;
    },
  };

  async function read(path: string, tries = 5): ReturnType<S3Server['read']> {
    const found = await fetch(`${url}/${path}`, { headers: { [ofReader]: 'yes' } });
    // The connection is closed if the file is replaced while it is sent.
    const text = await found.text().catch((error: unknown) => {
      if (tries === 1) throw error;
      return null;
    });
    if (text === null) return read(path, tries - 1);
    return found.status === 200 ? { headers: found.headers, text } : null;
  }
}

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/;

/** As https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html describes it, for paths without a query. */
function isSigned({ method = '', url = '', headers }: IncomingMessage): boolean {
  const [, id, day = '', region = '', names = '', signature] = authorization.exec(headers.authorization ?? '') ?? [];
  const at = String(headers['x-amz-date']);
  const signed = names.split(';');
  if (id !== key.keyId || !['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name)))
    return false;
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const hashed = String(headers['x-amz-content-sha256']);
  const request = [method, url, '', lines.join(''), names, hashed].join('\n');
  const hash = createHash('sha256').update(request).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', at, `${day}/${region}/s3/aws4_request`, hash].join('\n');
  const mac = (secret: string | Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  const signing = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(mac, `AWS4${key.secret}`);
  return mac(signing, toSign).toString('hex') === signature;
}
