// The button that publishes a draft of an incident.
import { useState } from 'react';
import type { AnswerOf, OperationId } from '#contract/operations.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../controls/button.tsx';
import { Confirm } from '../controls/dialog.tsx';
import { toast } from '../layout/toast.tsx';
import { NotifiedBy, ShownOn } from './pages-of.tsx';
import { text } from './strings.ts';
import css from './status-incidents.module.css';

export type Incident = AnswerOf<'getStatusIncident'>;

/** What a change of an incident makes old. */
export const incidentReads: readonly OperationId[] = [
  'listStatusIncidents',
  'listStatusIncidentsOfCheck',
  'getStatusIncident',
  'getOverview',
];

export function Publish({ incident: { id, name, services, incidentUpdates } }: { readonly incident: Incident }) {
  const serviceIds = services.map((service) => service.id);
  const [isAsking, setAsking] = useState(false);
  const update = useWrite('updateStatusIncident', incidentReads);
  return (
    <>
      <Button kind="primary" aria-label={text.publishLabel(name)} onPress={() => setAsking(true)}>
        {text.publish}
      </Button>
      <Confirm
        title={text.publishTitle(name)}
        action={text.publish}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await update.mutateAsync({ params: { id }, body: { isDraft: false } });
          toast.done(text.publishedNow(name));
        }}
      >
        <p className={css['message']}>{incidentUpdates.at(-1)?.description}</p>
        {incidentUpdates.some(({ notifySubscribers }) => notifySubscribers) && <NotifiedBy serviceIds={serviceIds} />}
        <ShownOn serviceIds={serviceIds} />
      </Confirm>
    </>
  );
}
