// The second factor of the signed-in user: set it up, replace its recovery codes, remove it.
import { useState } from 'react';
import { encode } from 'uqr';
import type { AnswerOf } from '#contract/operations.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRead, useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Facts } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { At } from '../../ui/text/time.tsx';
import { ProofForm } from './proof-form.tsx';
import { text } from './strings.ts';
import css from './profile.module.css';

const words = text.secondFactor;

export function SecondFactor() {
  const { data, error, refetch } = useRead('getSecondFactor');
  const [secret, setSecret] = useState<AnswerOf<'createSecondFactor'> | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const cache = useQueryClient();
  if (codes !== null) {
    return (
      <RecoveryCodes
        codes={codes}
        onStored={() => {
          setCodes(null);
          setSecret(null);
          // What the second factor opens was refused until now.
          void cache.invalidateQueries();
        }}
      />
    );
  }
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (secret !== null) return <Confirmation secret={secret} onCodes={setCodes} onCancel={() => setSecret(null)} />;
  if (data.since === null) return <Start onSecret={setSecret} />;
  return (
    <>
      <Facts
        facts={[
          [words.since, <At key="since" at={data.since} />],
          [words.left, String(data.recoveryCodesLeft)],
        ]}
      />
      <Changes onCodes={setCodes} />
    </>
  );
}

function Start({ onSecret }: { readonly onSecret: (secret: AnswerOf<'createSecondFactor'>) => void }) {
  const begin = useWrite('createSecondFactor');
  return (
    <ProofForm
      fault={begin.error}
      send={async (fields) => onSecret(await begin.mutateAsync({ body: { password: fields.get('password') ?? '' } }))}
    >
      <p className="quiet">{words.explained}</p>
      <Field label={words.password} name="password" type="password" autoComplete="current-password" isRequired />
      <Button type="submit" isDisabled={begin.isPending}>
        {words.start}
      </Button>
    </ProofForm>
  );
}

function Confirmation({
  secret: { secret, url },
  onCodes,
  onCancel,
}: {
  readonly secret: AnswerOf<'createSecondFactor'>;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}) {
  const confirm = useWrite('confirmSecondFactor', ['getSecondFactor', 'listSessions']);
  return (
    <ProofForm
      fault={confirm.error}
      send={async (fields) => {
        const answer = await confirm.mutateAsync({ body: { code: fields.get('code') ?? '' } });
        onCodes(answer.recoveryCodes);
      }}
    >
      <p>{words.scan}</p>
      <QrCode text={url} />
      <p className="quiet">{words.type}</p>
      <Code label={words.secret} text={secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} />
      <Field
        label={words.code}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        help={words.codeHelp}
        isRequired
        autoFocus
      />
      <div className={css['actions']}>
        <Button type="submit" kind="primary" isDisabled={confirm.isPending}>
          {words.turnOn}
        </Button>
        <Button kind="quiet" onPress={onCancel}>
          {words.cancel}
        </Button>
      </div>
    </ProofForm>
  );
}

/** Black on white also in the dark, because some apps read nothing else. */
function QrCode({ text: content }: { readonly text: string }) {
  const { data, size } = encode(content, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isBlack, x) => (isBlack ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg className={css['qr']} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={words.qr}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

function RecoveryCodes({ codes, onStored }: { readonly codes: readonly string[]; readonly onStored: () => void }) {
  return (
    <div className={css['form']}>
      <p role="status">{words.codesExplained}</p>
      <Code label={words.codes} text={codes.join('\n')} />
      <Button kind="primary" onPress={onStored}>
        {words.stored}
      </Button>
    </div>
  );
}

function Changes({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const renew = useWrite('createRecoveryCodes', ['getSecondFactor']);
  const remove = useWrite('removeSecondFactor', ['getSecondFactor', 'getMe']);
  const isPending = renew.isPending || remove.isPending;
  return (
    <ProofForm
      fault={renew.error ?? remove.error}
      send={async (fields, pressed) => {
        renew.reset();
        remove.reset();
        const body = { password: fields.get('password') ?? '', code: fields.get('code') ?? '' };
        if (pressed === 'renew') return onCodes((await renew.mutateAsync({ body })).recoveryCodes);
        await remove.mutateAsync({ body });
        return toast.done(words.removed);
      }}
    >
      <Field label={words.password} name="password" type="password" autoComplete="current-password" isRequired />
      <Field label={words.code} name="code" autoComplete="one-time-code" help={words.anyCode} isRequired />
      <div className={css['actions']}>
        <Button type="submit" value="renew" isDisabled={isPending}>
          {words.renew}
        </Button>
        <Button type="submit" value="remove" kind="danger" isDisabled={isPending}>
          {words.remove}
        </Button>
      </div>
    </ProofForm>
  );
}
