// Alert settings of the account: for checks that have none of their own and none of their group.
import { Link } from '@tanstack/react-router';
import { type FormEvent, useMemo } from 'react';
import { Form } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { AlertSettingsFields } from '../../ui/alert-settings/fields.tsx';
import { settingsWords } from '../../ui/alert-settings/words.ts';
import { Backtest } from '../../ui/backtest/backtest.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { type Draft, textOf, useDraft } from '../../ui/form/draft.ts';
import { FaultList, faultsOf } from '../../ui/form/faults.tsx';
import { FaultsContext, TextInput } from '../../ui/form/text.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './alert-settings.module.css';

type Settings = NonNullable<AnswerOf<'getOwnAccount'>['alertSettings']>;

export function AlertSettingsPage() {
  const { admin } = useMay();
  const account = useRead('getOwnAccount');
  if (account.error && account.data === undefined) {
    return <LoadError error={account.error} onRetry={() => void account.refetch()} />;
  }
  return (
    <>
      <PageHead title={text.title} />
      <p className="quiet">{text.about}</p>
      {account.data === undefined ? (
        <Skeleton lines={4} height={40} />
      ) : admin ? (
        <Editor key={account.data.id} settings={account.data.alertSettings ?? {}} />
      ) : (
        <>
          <p>{text.inEffect(settingsWords(account.data.alertSettings))}</p>
          <p className="quiet">{text.readOnly}</p>
        </>
      )}
      <Section title={text.others}>
        <Groups />
      </Section>
    </>
  );
}

/** Used if nothing is set. */
const digestByDefault = '20';

function Editor({ settings }: { readonly settings: Settings }) {
  // The contract describes them as JSON.
  const start = { alertSettings: settings as unknown as Draft };
  const { draft, isChanged, change, reset } = useDraft('alert settings', start);
  const update = useWrite('updateAccount', ['getOwnAccount', 'listAccounts', 'getCheckAlerting']);
  const faults = useMemo(() => faultsOf(update.error), [update.error]);
  const written = (draft['alertSettings'] ?? {}) as Draft;
  const save = async (): Promise<void> => {
    // The server validates what was entered.
    const body = { alertSettings: written as unknown as Settings };
    await update.mutateAsync({ params: { id: 'me' }, body });
    reset();
    toast.done(text.saved);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The error is shown beside the fields.
    void save().catch(() => undefined);
  };
  return (
    <>
      <Form className={css['form'] ?? ''} validationBehavior="aria" onSubmit={submit}>
        <FaultsContext value={faults}>
          <AlertSettingsFields value={written} onChange={(value) => change('alertSettings', value)} />
          <TextInput
            name="alertSettings.digestThreshold"
            label={text.digest}
            help={text.digestHelp}
            unit={text.digestUnit}
            placeholder={digestByDefault}
            isNumber
            value={textOf(written['digestThreshold'])}
            onChange={(value) => change('alertSettings.digestThreshold', numberOf(value))}
          />
          <FaultList error={update.error} faults={faults} />
          <div className={parts['actions']}>
            <Button type="submit" kind="primary" isDisabled={!isChanged || update.isPending}>
              {text.save}
            </Button>
            {isChanged && (
              <Button kind="quiet" onPress={reset}>
                {text.startOver}
              </Button>
            )}
          </div>
        </FaultsContext>
      </Form>
      <Backtest question={{ accountAlertSettings: written }} whose={text.thisAccount} />
    </>
  );
}

/** What is no number stays as it is, so that the server says what would be right; null = the default. */
function numberOf(value: string): number | string | null {
  if (value.trim() === '') return null;
  return Number.isNaN(Number(value)) ? value : Number(value);
}

/** Groups that decide, with what is in effect for their checks. */
function Groups() {
  const { data } = useAll('listCheckGroups');
  if (data === undefined) return <Skeleton />;
  const deciding = data.filter(
    ({ useGlobalAlertSettings, alertSettings }) => useGlobalAlertSettings === false && alertSettings !== null,
  );
  if (deciding.length === 0) return <p className="quiet">{text.noGroups}</p>;
  return (
    <>
      <p className="quiet">{text.othersHelp}</p>
      <ul className={css['groups']}>
        {deciding.map(({ id, name, alertSettings }) => (
          <li key={id}>
            <Link to="/groups/$groupId" params={{ groupId: String(id) }}>
              {name}
            </Link>
            : {settingsWords(alertSettings)}
          </li>
        ))}
      </ul>
    </>
  );
}
