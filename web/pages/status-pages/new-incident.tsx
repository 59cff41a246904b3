// Creates an incident of status pages with its first update.
import { Link, useNavigate } from '@tanstack/react-router';
import { useWrite } from '../../api/query.ts';
import { textsOf } from '../../ui/check-settings/section.ts';
import { useDraft } from '../../ui/form/draft.ts';
import { Cancel, EditorForm } from '../../ui/form/editor-form.tsx';
import { Flag } from '../../ui/form/text.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { ShownOn } from '../../ui/status-incidents/pages-of.tsx';
import { incidentReads } from '../../ui/status-incidents/publish.tsx';
import {
  IncidentFields,
  incidentBody,
  incidentDraft,
  updateBody,
  updateDraft,
  UpdateFields,
} from './incident-fields.tsx';
import { text } from './strings.ts';
import { TemplateMenu } from './text-menus.tsx';
import css from './status-pages.module.css';

export const aboveIncidents = (
  <>
    <Link to="/status-pages">{text.title}</Link>
    <span aria-hidden>/</span>
    <Link to="/status-pages/incidents">{text.incidents}</Link>
  </>
);

export function NewStatusIncidentPage() {
  const navigate = useNavigate();
  const start = { ...incidentDraft(null), ...updateDraft(null), isDraft: false };
  const kept = useDraft('status incident ', start);
  const create = useWrite('createStatusIncident', incidentReads);
  const { draft, change: onChange } = kept;
  const isDraft = draft['isDraft'] === true;
  const save = async (): Promise<void> => {
    const body = { ...incidentBody(draft), isDraft, incidentUpdates: [updateBody(draft)] };
    const { id, name } = await create.mutateAsync({ body });
    kept.reset();
    toast.done(text.created(name));
    await navigate({ to: '/status-pages/incidents/$incidentId', params: { incidentId: id } });
  };
  return (
    <>
      <PageHead title={text.newIncident} above={aboveIncidents} />
      <EditorForm
        className={css['form']}
        kept={kept}
        isNew
        save={save}
        error={create.error}
        isDisabled={create.isPending}
        submit={isDraft ? text.addDraft : text.addIncident}
        actions={<Cancel kept={kept} onCancel={() => void navigate({ to: '/status-pages/incidents' })} />}
      >
        {() => (
          <>
            <TemplateMenu draft={draft} onChange={onChange} />
            <IncidentFields draft={draft} onChange={onChange} />
            <ShownOn serviceIds={textsOf(draft['services'])} />
            <Section title={text.updates}>
              <UpdateFields
                draft={draft}
                onChange={onChange}
                serviceIds={textsOf(draft['services'])}
                path="incidentUpdates[0]."
              />
            </Section>
            <Flag
              label={text.isDraft}
              help={text.isDraftHelp}
              value={isDraft}
              onChange={(value) => onChange('isDraft', value)}
            />
          </>
        )}
      </EditorForm>
    </>
  );
}
