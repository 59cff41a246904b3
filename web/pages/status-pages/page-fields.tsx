// Fields of a status page: its name and address, and who sees it.
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { useAll } from '../../api/all.ts';
import { ChannelName } from '../../ui/alerts/channels.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { ZoneChoice } from '../../ui/controls/zone-choice.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { Flag, TextInput, useFault } from '../../ui/form/text.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './status-pages.module.css';

export function AddressFields({
  draft,
  onChange,
  onRename,
}: FieldsOfDraft & { readonly onRename: (name: string) => void }) {
  const url = textOf(draft['url']);
  return (
    <div className={css['pair']}>
      <TextInput
        name="name"
        label={text.name}
        placeholder={text.pageExample}
        value={textOf(draft['name'])}
        onChange={onRename}
        isRequired
      />
      <TextInput
        name="url"
        label={text.url}
        help={text.urlHelp(url)}
        value={url}
        onChange={(value) => onChange('url', value)}
        isRequired
      />
      <TextInput
        name="customDomain"
        label={text.customDomain}
        help={text.customDomainHelp}
        placeholder={text.customDomainExample}
        value={textOf(draft['customDomain'])}
        onChange={(value) => onChange('customDomain', value)}
      />
      <TextInput
        name="description"
        label={text.description}
        help={text.serviceDescriptionHelp}
        value={textOf(draft['description'])}
        onChange={(value) => onChange('description', value)}
      />
      <Choice
        label={text.language}
        value={textOf(draft['language'])}
        options={text.languages}
        onChange={(value) => onChange('language', value)}
      />
      <ZoneChoice
        label={text.timeZone}
        help={text.timeZoneHelp}
        value={textOf(draft['timeZone']) || 'account'}
        others={[['account', text.zoneOfAccount]]}
        onChange={(zone) => onChange('timeZone', zone === 'account' ? '' : zone)}
      />
    </div>
  );
}

export function AudienceFields({ draft, onChange, hasPassword }: FieldsOfDraft & { readonly hasPassword: boolean }) {
  const visibility = textOf(draft['visibility']);
  return (
    <div className={css['pair']}>
      <Flag
        label={text.isPublished}
        help={text.isPublishedHelp}
        value={draft['isPublished'] === true}
        onChange={(value) => onChange('isPublished', value)}
      />
      <Choice
        label={text.visibility}
        value={visibility}
        options={text.visibilities}
        onChange={(value) => onChange('visibility', value)}
      />
      {visibility === 'PASSWORD' && (
        <TextInput
          name="password"
          type="password"
          label={hasPassword ? text.newPassword : text.password}
          help={hasPassword ? `${text.passwordHelp} ${text.passwordKept}` : text.passwordHelp}
          value={textOf(draft['password'])}
          onChange={(value) => onChange('password', value)}
          isRequired={!hasPassword}
        />
      )}
      {visibility === 'PUBLIC' && (
        <Flag
          label={text.allowIndexing}
          value={draft['allowIndexing'] === true}
          onChange={(value) => onChange('allowIndexing', value)}
        />
      )}
    </div>
  );
}

export function SubscribersFlag({ draft, onChange }: FieldsOfDraft) {
  if (draft['visibility'] === 'ACCOUNT') return null;
  return (
    <Flag
      label={text.allowSubscribers}
      help={text.allowSubscribersHelp}
      value={draft['allowSubscribers'] === true}
      onChange={(value) => onChange('allowSubscribers', value)}
    />
  );
}

/** Channels that are notified of changes. Nothing if the account has none. */
export function ChannelsField({ draft, onChange }: FieldsOfDraft) {
  const { data: channels = [] } = useAll('listAlertChannels');
  const { fault, answer } = useFault('alertChannelIds');
  const chosen = (draft['alertChannelIds'] ?? []) as readonly number[];
  if (channels.length === 0) return <p className="quiet">{text.noChannels}</p>;
  return (
    <fieldset className={parts['checks']}>
      <legend>{text.channels}</legend>
      {channels.map(({ id }) => (
        <Flag
          key={id}
          label={<ChannelName id={id} />}
          value={chosen.includes(id)}
          onChange={(isChosen) => {
            answer();
            onChange('alertChannelIds', isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
          }}
        />
      ))}
      <span className={parts['help']}>{text.channelsHelp}</span>
      {fault !== undefined && (
        <span className={parts['fault']} role="alert">
          {fault}
        </span>
      )}
    </fieldset>
  );
}
