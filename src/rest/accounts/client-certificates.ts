// Routes of client certificates (reference §4.7).
import type { ClientCertificateActions, ShownClientCertificate } from '#actions/accounts/client-certificates.ts';
import type { ClientCertificateBody } from '#contract/accounts/client-certificate.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

export function clientCertificateRoutes(actions: ClientCertificateActions): Route[] {
  return [
    route('listClientCertificates', async ({ caller }) => (await actions.list(caller)).map(toWire)),
    route('createClientCertificate', async ({ caller, body }) => toWire(await actions.create(caller, body))),
    route('getClientCertificate', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('deleteClientCertificate', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

function toWire({ id, host, cert, ca, expiresAt, createdAt }: ShownClientCertificate): ClientCertificateBody {
  return { id, host, cert, ca, expiresAt: isoText(expiresAt), created_at: isoText(createdAt) };
}
