// Alert channels by id: name, and type as icon and word.
import { BellRing, type LucideIcon, Mail, MessageSquare, Phone, Send, Siren, Smartphone, Webhook } from 'lucide-react';
import type { AnswerOf } from '#contract/operations.ts';
import { useAll } from '../../api/all.ts';
import css from './channels.module.css';

type Channel = AnswerOf<'listAlertChannels'>[number];

/** Unknown types are shown by their name. */
const types: Readonly<Record<string, { readonly word: string; readonly icon: LucideIcon }>> = {
  EMAIL: { word: 'Email', icon: Mail },
  SLACK: { word: 'Slack', icon: MessageSquare },
  PAGERDUTY: { word: 'PagerDuty', icon: Siren },
  OPSGENIE: { word: 'Opsgenie', icon: BellRing },
  SMS: { word: 'SMS', icon: Smartphone },
  CALL: { word: 'Phone call', icon: Phone },
  WEBHOOK: { word: 'Webhook', icon: Webhook },
};

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
  if (channel === undefined) return '…';
  const named = channel?.config as
    | { name?: string; address?: string; serviceName?: string; channel?: string }
    | undefined;
  return named?.name || named?.address || named?.serviceName || named?.channel || `Channel ${id}`;
}

/** A channel in a list. */
export function ChannelName({ id }: { readonly id: number }) {
  const channel = useChannels()(id);
  const name = nameOf(id, channel);
  if (channel == null) return <>{name}</>;
  const { word, icon: Icon } = types[channel.type] ?? { word: channel.type, icon: Send };
  return (
    <span className={css['channel']}>
      <Icon size={15} aria-hidden />
      <span>
        {name} <span className="quiet">{word}</span>
      </span>
    </span>
  );
}
