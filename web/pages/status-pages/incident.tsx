// One incident of status pages: its updates, details and postmortem.
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { textOf, useDraft } from '../../ui/form/draft.ts';
import { EditorForm } from '../../ui/form/editor-form.tsx';
import { TextInput } from '../../ui/form/text.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { Markdown } from '../../ui/text/markdown.tsx';
import { At } from '../../ui/text/time.tsx';
import { ShownOn } from '../../ui/status-incidents/pages-of.tsx';
import { type Incident, incidentReads, Publish } from '../../ui/status-incidents/publish.tsx';
import { statusText } from '../../ui/status-incidents/strings.ts';
import { changedFields, Loaded, Remove } from './frame.tsx';
import { IncidentFields, incidentBody, incidentDraft } from './incident-fields.tsx';
import { aboveIncidents } from './new-incident.tsx';
import { choiceText, text } from './strings.ts';
import { Updates } from './updates.tsx';
import css from './status-pages.module.css';

export function StatusIncidentPage() {
  const { incidentId } = useParams({ from: '/shell/status-pages/incidents/$incidentId' });
  const incident = useRead('getStatusIncident', { params: { id: incidentId } });
  return <Loaded read={incident}>{(shown) => <Shown key={shown.id} incident={shown} />}</Loaded>;
}

function Shown({ incident }: { readonly incident: Incident }) {
  const { write } = useMay();
  const navigate = useNavigate();
  const remove = useWrite('deleteStatusIncident', incidentReads);
  const { id, name, isDraft, isBackdated, severity, services, startedAt, resolvedAt, postmortem } = incident;
  return (
    <>
      <PageHead title={name} above={aboveIncidents}>
        {isDraft && <span className={css['draft']}>{text.draft}</span>}
        {write && isDraft && <Publish incident={incident} />}
        {write && (
          <Remove
            name={name}
            help={text.removeIncidentHelp}
            remove={() => remove.mutateAsync({ params: { id } })}
            onRemoved={() => void navigate({ to: '/status-pages/incidents' })}
          />
        )}
      </PageHead>
      <Facts
        facts={[
          [text.columns.state, statusText(incident.lastUpdateStatus)],
          [text.columns.severity, choiceText(text.severities, severity)],
          [text.columns.services, services.map((service) => service.name).join(', ') || text.none],
          [
            text.columns.began,
            <>
              <At at={startedAt} /> {isBackdated && <span className="quiet">({text.backdated})</span>}
            </>,
          ],
          [text.columns.resolved, resolvedAt === null ? text.open : <At key="resolved" at={resolvedAt} />],
        ]}
      />
      <ShownOn serviceIds={services.map((service) => service.id)} />
      <Updates incident={incident} />
      {write ? (
        <>
          <Details incident={incident} />
          <Postmortem incident={incident} />
        </>
      ) : (
        postmortem !== null && (
          <Section title={text.postmortem}>
            <Markdown text={postmortem} />
          </Section>
        )
      )}
    </>
  );
}

function Details({ incident }: { readonly incident: Incident }) {
  const kept = useDraft(`status incident ${incident.id}`, incidentDraft(incident));
  const update = useWrite('updateStatusIncident', incidentReads);
  const save = async (): Promise<void> => {
    const body = changedFields(incidentBody(kept.start), incidentBody(kept.draft));
    const { name } = await update.mutateAsync({ params: { id: incident.id }, body });
    kept.reset();
    toast.done(text.saved(name));
  };
  return (
    <Section title={text.details}>
      <EditorForm
        className={`${css['form']} ${css['several']}`}
        kept={kept}
        isNew={false}
        save={save}
        error={update.error}
        isDisabled={update.isPending}
        submit={text.saveDetails}
      >
        {() => <IncidentFields draft={kept.draft} onChange={kept.change} />}
      </EditorForm>
    </Section>
  );
}

function Postmortem({ incident: { id, postmortem } }: { readonly incident: Incident }) {
  const kept = useDraft(`postmortem ${id}`, { postmortem: postmortem ?? '' });
  const update = useWrite('updateStatusIncident', incidentReads);
  const written = textOf(kept.draft['postmortem']);
  const save = async (): Promise<void> => {
    await update.mutateAsync({ params: { id }, body: { postmortem: written.trim() === '' ? null : written } });
    kept.reset();
    toast.done(text.saved(text.postmortem));
  };
  return (
    <Section title={text.postmortem}>
      <EditorForm
        className={`${css['form']} ${css['several']}`}
        kept={kept}
        isNew={false}
        save={save}
        error={update.error}
        isDisabled={update.isPending}
        submit={text.savePostmortem}
      >
        {() => (
          <>
            <TextInput
              name="postmortem"
              label={text.whatHappened}
              help={text.postmortemHelp}
              lines="text"
              value={written}
              onChange={(value) => kept.change('postmortem', value)}
            />
            {written.trim() !== '' && (
              <div className={css['written']} role="group" aria-label={text.preview}>
                <Markdown text={written} />
              </div>
            )}
          </>
        )}
      </EditorForm>
    </Section>
  );
}
