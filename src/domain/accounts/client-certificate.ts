// Client certificates, which Tocsin presents to servers that request one (reference §4.7: client certificate).

/** A certificate, its key and the host to present it to. PEM. */
export interface ClientIdentity {
  /** `shop.example`, or `*.shop.example` for all of its subdomains; A-labels in lower case. */
  readonly host: string;
  /** The certificate, followed by its chain. */
  readonly cert: string;
  /** CAs trusted for this host in addition to the usual ones; null = none. */
  readonly ca: string | null;
  /** A secret. */
  readonly key: string;
  /** Passphrase of the key; null = none. A secret. */
  readonly passphrase: string | null;
}

/** A client certificate of an account. */
export interface ClientCertificate extends ClientIdentity {
  readonly accountId: string;
  readonly id: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The identity for a host: an exact match, otherwise the longest matching `*.` pattern; null = none. */
export function identityFor<Identity extends Pick<ClientIdentity, 'host'>>(
  identities: readonly Identity[],
  host: string,
): Identity | null {
  const name = host.toLowerCase().replace(/\.$/, '');
  const exact = identities.find((each) => each.host === name);
  if (exact !== undefined) return exact;
  const matching = identities.filter((each) => each.host.startsWith('*.') && name.endsWith(each.host.slice(1)));
  return matching.reduce<Identity | null>(
    (best, each) => (best !== null && best.host.length >= each.host.length ? best : each),
    null,
  );
}
