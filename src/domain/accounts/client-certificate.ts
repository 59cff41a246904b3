// Client certificates: what Tocsin shows to servers that ask who is there (reference §4.7: client certificate).

/** What is shown to a server, and where. PEM. */
export interface ClientIdentity {
  /** `shop.example`, or `*.shop.example` for every name below it; A-labels in lower case. */
  readonly host: string;
  /** The certificate, and after it those of its chain. */
  readonly cert: string;
  /** CAs that are trusted for this host besides the usual ones; null = none. */
  readonly ca: string | null;
  /** A secret. */
  readonly key: string;
  /** Of the key; null = it has none. A secret. */
  readonly passphrase: string | null;
}

/** A client certificate of an account. */
export interface ClientCertificate extends ClientIdentity {
  readonly accountId: string;
  readonly id: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The identity for a host: one of that name, else that of the longest `*.` pattern; null = none. */
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
