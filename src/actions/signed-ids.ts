// Tokens of links: ids and an expiry, signed by the installation's secret.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** Creates and opens tokens. */
export type SignedIds = ReturnType<typeof createSignedIds>;

/** The latest expiry that a token can hold, epoch ms. */
export const neverExpires = 0xff_ff_ff_ff * 1000;

const idLength = 16;
const macLength = 16;

/**
 * A token is the ids, the second of its expiry and a MAC over both, in base64url: short enough for any message.
 *
 * @param secret the installation's key; the signing key is derived from it
 * @param purpose tokens of one purpose are invalid for others
 * @param count number of ids
 */
export function createSignedIds(secret: Uint8Array, purpose: string, count: number) {
  const key = createSecretKey(createHmac('sha256', secret).update(purpose).digest());
  const macOf = (body: Buffer): Buffer => createHmac('sha256', key).update(body).digest().subarray(0, macLength);
  const bodyLength = count * idLength + 4;
  return {
    /** @param expiresAt epoch ms */
    sign(ids: readonly string[], expiresAt: number): string {
      const body = Buffer.alloc(bodyLength);
      ids.forEach((id, index) => {
        body.write(id.replaceAll('-', ''), index * idLength, 'hex');
      });
      body.writeUInt32BE(Math.ceil(expiresAt / 1000), count * idLength);
      return Buffer.concat([body, macOf(body)]).toString('base64url');
    },
    /** null = not a token of this installation and purpose, changed, or expired. @param now epoch ms */
    open(token: string, now: number): { readonly ids: readonly string[]; readonly expiresAt: number } | null {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== bodyLength + macLength || bytes.toString('base64url') !== token) return null;
      const body = bytes.subarray(0, bodyLength);
      if (!timingSafeEqual(macOf(body), bytes.subarray(bodyLength))) return null;
      const expiresAt = body.readUInt32BE(count * idLength) * 1000;
      if (now >= expiresAt) return null;
      const ids = Array.from({ length: count }, (_, index) =>
        idOf(body.subarray(index * idLength, (index + 1) * idLength)),
      );
      return { ids, expiresAt };
    },
  };
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
