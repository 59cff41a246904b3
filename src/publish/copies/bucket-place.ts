// An S3-compatible bucket that receives copies of status pages (docs/decisions/0164).
import { AwsV4Signer } from 'aws4fetch';
import { hash } from 'node:crypto';
import { pageCaching, PageCopyError } from '#domain/status-pages/page-copies.ts';
import type { CopyPlace } from './page-copier.ts';

/** A request to a bucket, signed. */
export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Sends a request. Rejects if no answer came in time. */
export type SendToBucket = (request: BucketRequest) => Promise<{ readonly status: number; readonly body: Buffer }>;

/** A bucket and the key for it. */
export interface Bucket {
  /** Address of the bucket, with a prefix if files are to have one, without a slash at its end. */
  readonly url: string;
  readonly region: string;
  readonly keyId: string;
  readonly secret: string;
}

/** Requests in progress. */
const atOnce = 4;
/** Pause before the first repetition of a request, ms; the next one is twice as long. */
const firstPauseMs = 200;
/** When a request is repeated no more, ms: all of it must end before the lease of this process. */
const repeatedMs = 5000;
const isTemporary = (status: number): boolean => status >= 500 || status === 429;

export function createBucketPlace({ url, region, keyId, secret }: Bucket, send: SendToBucket): CopyPlace {
  const signingKeys = new Map<string, ArrayBuffer>();
  const ask = async (
    method: BucketRequest['method'],
    path: string,
    content: Uint8Array | null = null,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: Buffer }> => {
    const signer = new AwsV4Signer({
      method,
      url: `${url}/${path}`,
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', content ?? '') },
      accessKeyId: keyId,
      secretAccessKey: secret,
      service: 's3',
      region,
      cache: signingKeys,
    });
    const signed = await signer.sign();
    const request = { method, url: signed.url.href, headers: Object.fromEntries(signed.headers), body: content };
    const startedAt = performance.now();
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const answer = await send(request);
      if (!isTemporary(answer.status) || performance.now() - startedAt + pauseMs > repeatedMs) return answer;
      await new Promise((resolve) => void setTimeout(resolve, pauseMs));
    }
  };
  return {
    atOnce,
    async read(path) {
      const { status, body } = await ask('GET', path);
      if (status === 200) return body;
      if (status === 404) return null;
      throw refusal('GET', path, status, body);
    },
    async write(path, { mediaType, content }) {
      const { status, body } = await ask('PUT', path, Buffer.from(content), {
        'content-type': mediaType,
        'cache-control': pageCaching[/^[^/]+\/assets\//.test(path) ? 'asset' : 'page'],
      });
      if (status !== 200) throw refusal('PUT', path, status, body);
    },
    async remove(path) {
      const { status, body } = await ask('DELETE', path);
      if (status !== 204 && status !== 200 && status !== 404) throw refusal('DELETE', path, status, body);
    },
  };
}

/** Only the code of the answer is shown: its text may repeat the request. */
function refusal(method: string, path: string, status: number, body: Buffer): PageCopyError {
  const code = /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(body.subarray(0, 10_000).toString('utf8'))?.[1];
  return new PageCopyError(
    `the bucket answered ${method} ${path} with status ${status}${code === undefined ? '' : ` (${code})`}`,
  );
}
