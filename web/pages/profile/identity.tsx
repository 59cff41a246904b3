// The identity provider of the signed-in user: connect and disconnect it.
import type { AnswerOf } from '#contract/operations.ts';
import { leaveForProvider } from '../../api/provider.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Facts } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { At } from '../../ui/text/time.tsx';
import { ProofForm } from './proof-form.tsx';
import { text } from './strings.ts';

const words = text.identity;

/** @param identity of an installation with a provider */
export function ConnectedProvider({ identity }: { readonly identity: AnswerOf<'getIdentity'> }) {
  const { provider, connectedAt, email, hasPassword } = identity;
  const name = provider ?? '';
  if (connectedAt === null) return <Connect name={name} />;
  return (
    <>
      <Facts
        facts={[
          [words.as, email ?? words.noEmail],
          [words.since, <At key="since" at={connectedAt} />],
        ]}
      />
      {hasPassword ? <Disconnect name={name} /> : <p className="quiet">{words.noPassword(name)}</p>}
    </>
  );
}

function Connect({ name }: { readonly name: string }) {
  const begin = useWrite('createIdentityConnection');
  return (
    <ProofForm
      fault={begin.error}
      send={async (fields) => {
        const { url } = await begin.mutateAsync({ body: proofOf(fields) });
        leaveForProvider(url, { purpose: 'connect', next: '/settings/profile' });
      }}
    >
      <p className="quiet">{words.explained(name)}</p>
      <ProofFields />
      {/* Disabled until the page of the provider replaces this one. */}
      <Button type="submit" isDisabled={begin.isPending || begin.isSuccess}>
        {words.connect(name)}
      </Button>
    </ProofForm>
  );
}

function Disconnect({ name }: { readonly name: string }) {
  const remove = useWrite('removeIdentity', ['getIdentity', 'listSessions']);
  return (
    <ProofForm
      fault={remove.error}
      send={async (fields) => {
        await remove.mutateAsync({ body: proofOf(fields) });
        toast.done(words.disconnected(name));
      }}
    >
      <p className="quiet">{words.disconnecting}</p>
      <ProofFields />
      <Button type="submit" kind="danger" isDisabled={remove.isPending}>
        {words.disconnect(name)}
      </Button>
    </ProofForm>
  );
}

/** The password, and the code of a person with a second factor. */
function ProofFields() {
  const factor = useRead('getSecondFactor');
  return (
    <>
      <Field label={words.password} name="password" type="password" autoComplete="current-password" isRequired />
      {typeof factor.data?.since === 'string' && (
        <Field label={words.code} name="code" autoComplete="one-time-code" help={words.codeHelp} isRequired />
      )}
    </>
  );
}

function proofOf(fields: ReadonlyMap<string, string>): { readonly password: string; readonly code?: string } {
  const code = fields.get('code');
  return { password: fields.get('password') ?? '', ...(code !== undefined && { code }) };
}
