// Acknowledgement of an incident, or the button to acknowledge it.
import { EllipsisVertical, Undo2, UserCheck } from 'lucide-react';
import type { AnswerOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { ActionMenu } from '../controls/menu.tsx';
import { toast } from '../layout/toast.tsx';
import { Ago } from '../text/time.tsx';
import css from './acknowledgement.module.css';

/** An incident as lists show it. */
export type Incident = AnswerOf<'listIncidents'>[number];

const words = {
  acknowledge: 'Acknowledge',
  takeBack: 'Remove acknowledgement',
  actions: (name: string) => `Actions for the incident of ${name}`,
  done: (name: string) => `Acknowledged ${name}: no more reminders`,
  takenBack: (name: string) => `${name} is no longer acknowledged`,
} as const;

/** The open incident of a check; undefined = none, or not known yet. */
export function useOpenIncident(checkId: string): Incident | undefined {
  return useRead('listIncidents', { query: { checkId, state: 'open', limit: 1 } }).data?.[0];
}

export function Acknowledgement({ incident }: { readonly incident: Incident }) {
  const { write } = useMay();
  const refreshes = ['listIncidents', 'getOverview', 'getCheckStatus', 'listDeliveries'] as const;
  const acknowledge = useWrite('acknowledgeAlert', refreshes);
  const takeBack = useWrite('unacknowledgeAlert', refreshes);
  const { name, firstAlertId, endedAt, acknowledgedAt, acknowledgedBy } = incident;
  const input = { params: { alertId: firstAlertId } };
  const mayChange = write && endedAt === null;
  if (acknowledgedAt === null) {
    if (!mayChange) return null;
    return (
      <Button
        aria-label={`${words.acknowledge} ${name}`}
        isDisabled={acknowledge.isPending}
        onPress={() => void toast.of(acknowledge.mutateAsync(input), words.done(name))}
      >
        <UserCheck size={15} aria-hidden /> {words.acknowledge}
      </Button>
    );
  }
  return (
    <span className={css['acknowledged']}>
      <UserCheck size={15} aria-hidden />
      <span>
        Acknowledged {whoOf(acknowledgedBy)}, <Ago at={acknowledgedAt} />
      </span>
      {mayChange && (
        <ActionMenu
          label={words.actions(name)}
          actions={[
            {
              id: 'take-back',
              label: words.takeBack,
              icon: <Undo2 size={16} />,
              run: () => void toast.of(takeBack.mutateAsync(input), words.takenBack(name)),
            },
          ]}
          trigger={
            <IconButton label={words.actions(name)}>
              <EllipsisVertical size={16} />
            </IconButton>
          }
        />
      )}
    </span>
  );
}

function whoOf(by: Incident['acknowledgedBy']): string {
  if (by === null || by.type === 'link') return 'with the link of an alert';
  if (by.type === 'api-key') return by.name === null ? 'with an API key' : `with the API key ${by.name}`;
  return `by ${by.name ?? 'a former member'}`;
}
