// Notifications of an incident: its deliveries, loaded on demand.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button as AriaButton, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { ChevronRight } from 'lucide-react';
import { useRead } from '../../api/query.ts';
import { deliveryWords } from './alert-words.ts';
import { DeliveryStatus } from './delivery-status.tsx';
import { ErrorMessage, Skeleton } from '../layout/feedback.tsx';
import { Table } from '../layout/table.tsx';
import { At } from '../text/time.tsx';
import { ChannelName } from './channels.tsx';
import css from './notifications.module.css';

interface Period {
  readonly checkId: string;
  /** ISO 8601: the first alert. */
  readonly from: string;
  /** ISO 8601: the last alert; null = it is still to come. */
  readonly to: string | null;
}

export function Notifications(period: Period) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Disclosure isExpanded={isOpen} onExpandedChange={setOpen}>
      <Heading level={3} className={css['toggleHead'] ?? ''}>
        <AriaButton slot="trigger" className={css['toggle'] ?? ''}>
          <ChevronRight size={14} aria-hidden /> Notifications
        </AriaButton>
      </Heading>
      <DisclosurePanel>{isOpen && <Deliveries {...period} />}</DisclosurePanel>
    </Disclosure>
  );
}

/** Deliveries begin with their alert; reminders follow until the recovery. */
const afterMs = 60_000;

function Deliveries({ checkId, from, to }: Period) {
  const deliveries = useRead('listDeliveries', {
    query: {
      checkId,
      from,
      limit: 100,
      ...(to !== null && { to: new Date(Date.parse(to) + afterMs).toISOString() }),
    },
  });
  if (deliveries.error) return <ErrorMessage error={deliveries.error} />;
  if (deliveries.data === undefined) return <Skeleton lines={1} />;
  if (deliveries.data.length === 0) return <p className="quiet">No channel was notified.</p>;
  return (
    <Table
      label="Notifications"
      rows={deliveries.data}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'channel',
          title: 'Channel',
          isName: true,
          cell: ({ id, alertChannelId }) => (
            <Link to="/deliveries/$deliveryId" params={{ deliveryId: id }}>
              <ChannelName id={alertChannelId} />
            </Link>
          ),
        },
        { id: 'alert', title: 'Alert', cell: deliveryWords },
        {
          id: 'status',
          title: 'Status',
          cell: (delivery) => <DeliveryStatus delivery={delivery} />,
        },
        { id: 'created', title: 'Created', cell: ({ createdAt }) => <At at={createdAt} /> },
      ]}
    />
  );
}
