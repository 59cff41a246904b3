// Alert channels by id: name, and type as icon and word.
import { BellRing, type LucideIcon, Mail, MessageSquare, Phone, Send, Siren, Smartphone, Webhook } from 'lucide-react';
import type { ChannelShow } from '#channels/show.ts';
import * as shows from '#channels/shows.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import css from './channels.module.css';

type Channel = AnswerOf<'listAlertChannels'>[number];

const icons: Readonly<Record<NonNullable<ChannelShow['icon']>, LucideIcon>> = {
  bell: BellRing,
  mail: Mail,
  message: MessageSquare,
  phone: Phone,
  send: Send,
  siren: Siren,
  smartphone: Smartphone,
  webhook: Webhook,
};

/** Emails to subscribers of status pages belong to no channel. */
const subscribersChannelId = 0;

const byType = new Map(Object.values(shows).map((show) => [show.type, show]));

/** The show part of a channel type. Unknown types are shown by their name. */
export function showOfChannel(type: string): ChannelShow {
  return byType.get(type) ?? { type, label: type };
}

/** undefined = still loading, null = deleted. */
function useChannels(): (id: number) => Channel | null | undefined {
  const { data, isPending } = useAll('listAlertChannels');
  return (id) => data?.find((channel) => channel.id === id) ?? (isPending ? undefined : null);
}

/** Names of the account's channels; a deleted channel is named by its number. */
export function useChannelNames(): (id: number) => string {
  const channelOf = useChannels();
  return (id) => nameOf(id, channelOf(id));
}

/** Some kinds have no name or an empty one, so their destination is shown instead. */
function nameOf(id: number, channel: Channel | null | undefined): string {
  if (id === subscribersChannelId) return 'Subscribers of a status page';
  if (channel === undefined) return '…';
  if (channel === null) return `Channel ${id}`;
  const fields = channel.config as unknown as Readonly<Record<string, string | undefined>>;
  const { destination = '' } = showOfChannel(channel.type);
  return fields['name'] || fields[destination] || `Channel ${id}`;
}

/** A channel in a list. */
export function ChannelName({ id }: { readonly id: number }) {
  const channel = useChannels()(id);
  const name = nameOf(id, channel);
  if (channel == null) return <>{name}</>;
  const { label, icon = 'send' } = showOfChannel(channel.type);
  const Icon = icons[icon];
  return (
    <span className={css['channel']}>
      <Icon size={15} aria-hidden />
      <span>
        {name} <span className="quiet">{label}</span>
      </span>
    </span>
  );
}
