// Creates and edits a service of status pages.
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { InputOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { ChosenGroups } from '../../ui/check-settings/chosen-groups.tsx';
import { ChosenChecks } from '../../ui/check-settings/depends-on.tsx';
import { TagField } from '../../ui/check-settings/labels.tsx';
import { ServiceStateBadge } from '../../ui/checks/state.tsx';
import { type FieldsOfDraft, textsOf } from '../../ui/check-settings/section.ts';
import { Choice } from '../../ui/controls/field.tsx';
import { type Draft, textOf, useDraft } from '../../ui/form/draft.ts';
import { Cancel, EditorForm } from '../../ui/form/editor-form.tsx';
import { Flag, TextInput } from '../../ui/form/text.tsx';
import { AsYaml } from '../../ui/layout/as-yaml.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { FailureFields, failureBody, failureDraft } from './failure-fields.tsx';
import { changedFields, Loaded, Remove, type Service, serviceReads } from './frame.tsx';
import { text } from './strings.ts';
import css from './status-pages.module.css';

const above = (
  <>
    <Link to="/status-pages">{text.title}</Link>
    <span aria-hidden>/</span>
    <Link to="/status-pages/services">{text.services}</Link>
  </>
);

/** Most checks and groups of a service. */
const [mostChecks, mostGroups] = [500, 100];

export function NewStatusServicePage() {
  return (
    <>
      <PageHead title={text.newService} above={above} />
      <Editor service={null} />
    </>
  );
}

export function StatusServicePage() {
  const { serviceId } = useParams({ from: '/shell/status-pages/services/$serviceId' });
  const { write } = useMay();
  const service = useRead('getStatusService', { params: { id: serviceId } });
  const remove = useWrite('deleteStatusService', serviceReads);
  const navigate = useNavigate();
  return (
    <Loaded read={service}>
      {(shown) => (
        <>
          <PageHead title={shown.name} above={above}>
            <ServiceStateBadge state={shown.state} large />
            {write && (
              <Remove
                name={shown.name}
                help={text.removeServiceHelp}
                remove={() => remove.mutateAsync({ params: { id: shown.id } })}
                onRemoved={() => void navigate({ to: '/status-pages/services' })}
              />
            )}
          </PageHead>
          <Editor key={shown.id} service={shown} />
          <AsYaml type="status-service" id={shown.id} />
        </>
      )}
    </Loaded>
  );
}

function draftOf(service: Service | null): Draft {
  const { checkIds = [], groupIds = [], tags = [], threshold = null } = service ?? {};
  return {
    name: service?.name ?? '',
    description: service?.description ?? '',
    source: service !== null && checkIds.length + groupIds.length + tags.length === 0 ? 'manual' : 'checks',
    checkIds: [...checkIds],
    groupIds: groupIds.map(String),
    tags: [...tags],
    threshold: threshold?.of ?? 'worst',
    count: threshold === null ? '2' : String(threshold.count),
    showHistory: service?.showHistory ?? true,
    ...failureDraft(service),
  };
}

/** Lists of what tells the state of a service. */
const sourceLists = ['checkIds', 'groupIds', 'tags'] as const;

function hasSource(draft: Draft): boolean {
  return sourceLists.some((name) => textsOf(draft[name]).some((each) => each.trim() !== ''));
}

/** The body of a write. The server describes and validates it. */
function bodyOf(draft: Draft): object {
  const hasChecks = draft['source'] === 'checks';
  const listed = (name: string): string[] => (hasChecks ? textsOf(draft[name]).filter((each) => each !== '') : []);
  const of = textOf(draft['threshold']);
  return {
    name: textOf(draft['name']),
    description: textOf(draft['description']) || null,
    checkIds: listed('checkIds'),
    groupIds: listed('groupIds').map(Number),
    tags: listed('tags'),
    threshold: hasChecks && of !== 'worst' ? { of, count: Number(draft['count']) } : null,
    showHistory: draft['showHistory'] === true,
    ...(hasChecks && { incidents: failureBody(draft) }),
  };
}

function Editor({ service }: { readonly service: Service | null }) {
  const { write } = useMay();
  const navigate = useNavigate();
  const kept = useDraft(`status service ${service?.id ?? ''}`, draftOf(service));
  const create = useWrite('createStatusService', serviceReads);
  const update = useWrite('updateStatusService', serviceReads);
  const leave = (): void => void navigate({ to: '/status-pages/services' });
  const save = async (): Promise<void> => {
    const body = bodyOf(kept.draft) as InputOf<'createStatusService'>['body'];
    if (service === null) await create.mutateAsync({ body });
    else await update.mutateAsync({ params: { id: service.id }, body: changedFields(bodyOf(kept.start), body) });
    kept.reset();
    toast.done(service === null ? text.created(body.name) : text.saved(body.name));
    leave();
  };
  const fields = { draft: kept.draft, onChange: kept.change };
  return (
    <EditorForm
      className={css['form']}
      kept={kept}
      isNew={service === null}
      save={save}
      error={service === null ? create.error : update.error}
      isDisabled={!write || create.isPending || update.isPending}
      submit={service === null ? text.addServiceAction : text.save}
      managed={service === null ? undefined : { type: 'status-service', id: service.id }}
      actions={<Cancel kept={kept} onCancel={leave} />}
    >
      {() => (
        <>
          <NameFields {...fields} />
          <Section title={text.source}>
            <SourceFields {...fields} />
          </Section>
          {kept.draft['source'] !== 'manual' && (
            <Section title={text.failure}>
              <FailureFields {...fields} />
            </Section>
          )}
        </>
      )}
    </EditorForm>
  );
}

function NameFields({ draft, onChange }: FieldsOfDraft) {
  return (
    <div className={css['pair']}>
      <TextInput
        name="name"
        label={text.name}
        placeholder={text.serviceExample}
        value={textOf(draft['name'])}
        onChange={(value) => onChange('name', value)}
        isRequired
      />
      <TextInput
        name="description"
        label={text.description}
        help={text.serviceDescriptionHelp}
        value={textOf(draft['description'])}
        onChange={(value) => onChange('description', value)}
      />
      <Flag
        label={text.showHistory}
        value={draft['showHistory'] === true}
        onChange={(value) => onChange('showHistory', value)}
      />
    </div>
  );
}

function SourceFields(fields: FieldsOfDraft) {
  const { draft, onChange } = fields;
  const threshold = textOf(draft['threshold']);
  const source = (
    <Choice
      label={text.sourceOf}
      value={textOf(draft['source'])}
      options={text.sources}
      onChange={(value) => onChange('source', value)}
    />
  );
  if (draft['source'] === 'manual') {
    return (
      <div className={css['form']}>
        {source}
        <p className="quiet">{text.manualHelp}</p>
      </div>
    );
  }
  return (
    <div className={css['form']}>
      {source}
      <ChosenChecks
        {...fields}
        path="checkIds"
        legend={text.checks}
        help={text.checksHelp}
        add={text.addChecks}
        question={text.addChecksTitle}
        removeLabel={text.removeCheck}
        max={mostChecks}
      />
      <ChosenGroups
        {...fields}
        label={text.groups}
        help={text.groupsHelp}
        none={text.noGroup}
        removeLabel={text.removeGroup}
        max={mostGroups}
      />
      <TagField {...fields} help={text.tagsHelp} />
      {!hasSource(draft) && <p className="quiet">{text.noSource}</p>}
      <Choice
        label={text.threshold}
        value={threshold}
        options={text.thresholds}
        onChange={(value) => onChange('threshold', value)}
      />
      {threshold !== 'worst' && (
        <TextInput
          name="threshold.count"
          label={text.count[threshold as 'CHECKS' | 'LOCATIONS']}
          help={text.countHelp}
          isNumber
          value={textOf(draft['count'])}
          onChange={(value) => onChange('count', value)}
          isRequired
        />
      )}
    </div>
  );
}
