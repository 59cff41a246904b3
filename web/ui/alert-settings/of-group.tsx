// The alert settings of a group in its form: its own or the account's for all its checks, or each check's.
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { Choice } from '../controls/field.tsx';
import type { Draft } from '../form/draft.ts';
import type { FieldsOfDraft } from '../check-settings/section.ts';
import { AlertSettingsFields } from './fields.tsx';
import { ownFrom } from './of-check.tsx';
import { text } from './strings.ts';
import { settingsWords } from './words.ts';
import css from './alert-settings.module.css';

export function AlertSettingsOfGroup({ draft, onChange }: FieldsOfDraft) {
  const account = useRead('getOwnAccount').data;
  if (account === undefined) return null;
  const settings = (draft['alertSettings'] ?? null) as Draft | null;
  const decides = decider(draft['useGlobalAlertSettings']);
  return (
    <>
      <div className={css['choice']}>
        <Choice
          label={text.decidedBy}
          value={decides}
          options={[
            ['checks', text.ofChecks],
            ['account', text.ofAccountForAll(settingsWords(account.alertSettings))],
            ['group', text.ownOfGroup],
          ]}
          onChange={(chosen) => {
            onChange('useGlobalAlertSettings', chosen === 'checks' ? null : chosen === 'account');
            if (chosen === 'group' && settings === null) onChange('alertSettings', ownFrom(account.alertSettings));
          }}
        />
        {decides === 'account' && <Link to="/settings/alerts">{text.change}</Link>}
      </div>
      {decides === 'group' && (
        <AlertSettingsFields value={settings} onChange={(value) => onChange('alertSettings', value)} />
      )}
      {decides !== 'checks' && <span className="quiet">{text.overrides}</span>}
    </>
  );
}

function decider(useGlobal: unknown): 'checks' | 'account' | 'group' {
  if (useGlobal === null || useGlobal === undefined) return 'checks';
  return useGlobal === true ? 'account' : 'group';
}
