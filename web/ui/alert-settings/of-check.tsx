// The alert settings of a check in its form: its own, or those of its group or account, with a link to them.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { AccountContext } from '../../api/account.ts';
import { read, useRead } from '../../api/query.ts';
import { Choice } from '../controls/field.tsx';
import type { Draft } from '../form/draft.ts';
import type { FieldsOfDraft } from '../check-settings/section.ts';
import { AlertSettingsFields } from './fields.tsx';
import { text } from './strings.ts';
import { settingsWords } from './words.ts';
import css from './alert-settings.module.css';

export function AlertSettingsOfCheck({ draft, onChange }: FieldsOfDraft) {
  const account = useRead('getOwnAccount').data;
  const groupId = typeof draft['groupId'] === 'number' ? draft['groupId'] : null;
  const group = useQuery({
    ...read(use(AccountContext), 'getCheckGroup', { params: { id: groupId ?? 0 } }),
    enabled: groupId !== null,
  }).data;
  const settings = (draft['alertSettings'] ?? null) as Draft | null;
  if (account === undefined || (groupId !== null && group === undefined)) return null;
  if (groupId !== null && group !== undefined && group.useGlobalAlertSettings !== null) {
    const inEffect = group.useGlobalAlertSettings ? account.alertSettings : (group.alertSettings ?? settings);
    return (
      <p className={css['decided']}>
        {text.ofGroup} {settingsWords(inEffect)}.{' '}
        <Link to="/groups/$groupId/edit" params={{ groupId: String(groupId) }}>
          {group.name}
        </Link>
      </p>
    );
  }
  const isOwn = draft['useGlobalAlertSettings'] === false;
  return (
    <>
      <div className={css['choice']}>
        <Choice
          label={text.decidedBy}
          value={isOwn ? 'own' : 'inherited'}
          options={[
            ['inherited', text.inherited(text.theAccount, settingsWords(account.alertSettings))],
            ['own', text.ownOfCheck],
          ]}
          onChange={(chosen) => {
            onChange('useGlobalAlertSettings', chosen === 'inherited');
            // They begin as they were inherited.
            if (chosen === 'own' && settings === null) onChange('alertSettings', ownFrom(account.alertSettings));
          }}
        />
        {!isOwn && <Link to="/settings/alerts">{text.change}</Link>}
      </div>
      {isOwn && <AlertSettingsFields value={settings} onChange={(value) => onChange('alertSettings', value)} />}
    </>
  );
}

/** Settings that begin as others are; a threshold of the account does not exist for checks and groups. */
export function ownFrom(settings: object | undefined): Draft {
  const { digestThreshold: _, ...shared } = (settings ?? {}) as Draft;
  return { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 }, ...shared };
}
