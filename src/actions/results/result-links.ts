// RESULT_LINK: whoever has the link may read that one result, for 30 days, without a key (decisions: RESULT_LINK).
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** What a link opens. */
export interface LinkedResult {
  readonly accountId: string;
  readonly checkId: string;
  readonly resultId: string;
  /** When the link ends, epoch ms. */
  readonly expiresAt: number;
}

/** Makes links and opens them. Instants are epoch ms. */
export interface ResultLinks {
  /** `{publicUrl}/results/{token}` */
  readonly link: (accountId: string, checkId: string, resultId: string, now: number) => string;
  /** null = not a token of this installation, changed, or expired. */
  readonly open: (token: string, now: number) => LinkedResult | null;
}

const validMs = 30 * 86_400_000;
const idLength = 16;
const macLength = 16;
const bodyLength = 3 * idLength + 4;

/**
 * A token is three ids, the second at which it expires and a MAC over them, in base64url: short enough for any message.
 *
 * @param publicUrl where this installation is reached, without a slash at its end; asked when a link is made
 * @param secret the installation's key; what signs is derived from it
 */
export function createResultLinks({ publicUrl, secret }: { publicUrl: () => string; secret: Uint8Array }): ResultLinks {
  const key = createSecretKey(createHmac('sha256', secret).update('result link 1').digest());
  const macOf = (body: Buffer): Buffer => createHmac('sha256', key).update(body).digest().subarray(0, macLength);
  return {
    link(accountId, checkId, resultId, now) {
      const body = Buffer.alloc(bodyLength);
      [accountId, checkId, resultId].forEach((id, index) => {
        body.write(id.replaceAll('-', ''), index * idLength, 'hex');
      });
      body.writeUInt32BE(Math.ceil((now + validMs) / 1000), 3 * idLength);
      return `${publicUrl()}/results/${Buffer.concat([body, macOf(body)]).toString('base64url')}`;
    },
    open(token, now) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== bodyLength + macLength || bytes.toString('base64url') !== token) return null;
      const body = bytes.subarray(0, bodyLength);
      if (!timingSafeEqual(macOf(body), bytes.subarray(bodyLength))) return null;
      const expiresAt = body.readUInt32BE(3 * idLength) * 1000;
      if (now >= expiresAt) return null;
      const id = (index: number) => idOf(body.subarray(index * idLength, (index + 1) * idLength));
      return { accountId: id(0), checkId: id(1), resultId: id(2), expiresAt };
    },
  };
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
