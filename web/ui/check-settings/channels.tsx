// The channels that a check or group notifies.
import { useAll } from '../../api/all.ts';
import { ChannelName, useChannelNames } from '../alerts/channels.tsx';
import { Escalation } from '../alerts/escalation.tsx';
import type { Draft } from '../form/draft.ts';
import { itemsOf } from '../form/pairs.tsx';
import { Flag } from '../form/text.tsx';
import type { FieldsOfDraft } from './section.ts';
import { text } from './strings.ts';
import parts from '../form/form.module.css';

/** @param note what else is notified; '' = nothing */
export function ChannelFields({ draft, onChange, note }: FieldsOfDraft & { readonly note: string }) {
  const channels = useAll('listAlertChannels');
  const subscriptions = itemsOf(draft['alertChannelSubscriptions']);
  const nameOf = useChannelNames();
  const ofChannel = (id: number) =>
    subscriptions.find((each) => each['alertChannelId'] === id && each['activated'] !== false);
  const set = (id: number, subscription: Draft | null): void => {
    const others = subscriptions.filter((each) => each['alertChannelId'] !== id);
    onChange('alertChannelSubscriptions', subscription === null ? others : [...others, subscription]);
  };
  return (
    <fieldset className={parts['checks']}>
      <legend>{text.channels}</legend>
      {channels.data?.length === 0 && <p className="quiet">{text.noChannels}</p>}
      {(channels.data ?? []).map(({ id }) => {
        const subscription = ofChannel(id);
        return (
          <div key={id} className={parts['subscribed']}>
            <Flag
              label={<ChannelName id={id} />}
              value={subscription !== undefined}
              onChange={(isChosen) => set(id, isChosen ? { alertChannelId: id, activated: true } : null)}
            />
            {subscription !== undefined && (
              <Escalation
                of={nameOf(id)}
                minutes={Number(subscription['escalationMinutes'] ?? 0)}
                onChange={(escalationMinutes) => set(id, { ...subscription, escalationMinutes })}
              />
            )}
          </div>
        );
      })}
      {note !== '' && <span className="quiet">{note}</span>}
    </fieldset>
  );
}
