// The button that publishes a draft of an incident.
import { useState } from 'react';
import { useEveryEntry } from '../../api/entries.ts';
import { useWrite } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/controls/dialog.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { type Incident, incidentReads } from './frame.tsx';
import { PagesOf } from './pages-of.tsx';
import { text } from './strings.ts';

export function Publish({ incident: { id, name, services } }: { readonly incident: Incident }) {
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
        <ShownOn serviceIds={services.map((service) => service.id)} />
      </Confirm>
    </>
  );
}

/** Which pages show an incident of these services. */
export function ShownOn({ serviceIds }: { readonly serviceIds: readonly string[] }) {
  const pages = useEveryEntry('listStatusPages');
  return (
    <p className="quiet">
      <PagesOf pages={pages.data} serviceIds={serviceIds} before={text.shownOn} none={text.shownNowhere} />
    </p>
  );
}
