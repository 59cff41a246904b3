// The signing secrets of a webhook: the current one and, for a time after rotation, the previous one (decisions: Secret).
import type { JsonObject } from '#domain/json.ts';
import type { SecretRules } from '../../kind.ts';
import type { Signing } from './sign.ts';

type SigningSecrets = Pick<Signing, 'secret' | 'previousSecret'>;

export function signingSecrets(stored: JsonObject): SigningSecrets {
  const { webhookSecret = null, previousSecret = null } = stored as {
    readonly webhookSecret?: string;
    readonly previousSecret?: NonNullable<SigningSecrets['previousSecret']>;
  };
  return { secret: webhookSecret, previousSecret };
}

/**
 * A new secret may come with `previousSecretUntil` (ISO): the time until which the previous secret also signs. Without
 * a new secret, that field changes the time, or ends it if null.
 */
export const secretRules: SecretRules = {
  stored({ config: { previousSecretUntil, ...config }, secrets }, stored, now) {
    const until = typeof previousSecretUntil === 'string' ? Date.parse(previousSecretUntil) : previousSecretUntil;
    const issue = (message: string) => ({ issue: { path: 'config.previousSecretUntil', message } });
    const [{ secret }, present] = [signingSecrets(secrets), signingSecrets(stored)];
    const kept = { ...(secret !== null && { webhookSecret: secret }) };
    const previous = (previousSecret: SigningSecrets['previousSecret']) => ({
      config,
      secrets: { ...kept, ...(previousSecret !== null && { previousSecret }) },
    });
    if (secret !== present.secret) {
      if (secret === null || present.secret === null || typeof until !== 'number') return previous(null);
      if (until <= now) return issue('must be in the future');
      return previous({ secret: present.secret, until });
    }
    if (typeof until !== 'number') return previous(until === null ? null : present.previousSecret);
    if (present.previousSecret !== null) return previous({ ...present.previousSecret, until });
    return until > now ? issue('requires a new webhookSecret in the same request') : previous(null);
  },
  shown(secrets, now) {
    const { previousSecret } = signingSecrets(secrets);
    const isRotating = previousSecret !== null && previousSecret.until > now;
    return { previousSecretUntil: isRotating ? new Date(previousSecret.until).toISOString() : null };
  },
};
