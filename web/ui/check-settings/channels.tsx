// The channels that a check or group notifies.
import { useAll } from '../../api/all.ts';
import { ChannelName } from '../alerts/channels.tsx';
import { itemsOf } from '../form/pairs.tsx';
import { Flag } from '../form/text.tsx';
import type { FieldsOfDraft } from './section.ts';
import { text } from './strings.ts';
import parts from '../form/form.module.css';

/** @param note what else is notified; '' = nothing */
export function ChannelFields({ draft, onChange, note }: FieldsOfDraft & { readonly note: string }) {
  const channels = useAll('listAlertChannels');
  const subscriptions = itemsOf(draft['alertChannelSubscriptions']);
  const isSubscribed = (id: number): boolean =>
    subscriptions.some((each) => each['alertChannelId'] === id && each['activated'] !== false);
  return (
    <fieldset className={parts['checks']}>
      <legend>{text.channels}</legend>
      {channels.data?.length === 0 && <p className="quiet">{text.noChannels}</p>}
      {(channels.data ?? []).map(({ id }) => (
        <Flag
          key={id}
          label={<ChannelName id={id} />}
          value={isSubscribed(id)}
          onChange={(isChosen) => {
            const others = subscriptions.filter((each) => each['alertChannelId'] !== id);
            onChange(
              'alertChannelSubscriptions',
              isChosen ? [...others, { alertChannelId: id, activated: true }] : others,
            );
          }}
        />
      ))}
      {note !== '' && <span className="quiet">{note}</span>}
    </fieldset>
  );
}
