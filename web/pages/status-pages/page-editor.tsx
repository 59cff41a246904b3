// Creates and edits a status page.
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { InputOf } from '#contract/operations.ts';
import { useMay } from '../../api/me.ts';
import { useRead, useWrite } from '../../api/query.ts';
import { CopyButton } from '../../ui/controls/copy.tsx';
import { textOf, useDraft } from '../../ui/form/draft.ts';
import { Cancel, EditorForm } from '../../ui/form/editor-form.tsx';
import { AsYaml } from '../../ui/layout/as-yaml.tsx';
import { Fold } from '../../ui/form/fold.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { CardsField } from './cards-field.tsx';
import { changedFields, Loaded, pageReads, Remove, type StatusPage } from './frame.tsx';
import { FooterFields, LookFields } from './look-fields.tsx';
import { PublishedMark } from './page.tsx';
import { PageBadges } from './page-badges.tsx';
import { pageBody, pageDraft, urlOf } from './page-draft.ts';
import { PagePreview, useIsBeside } from './preview.tsx';
import { AddressFields, AudienceFields, ChannelsField, SubscribersFlag } from './page-fields.tsx';
import { text } from './strings.ts';
import { TextsField } from './texts-field.tsx';
import css from './status-pages.module.css';

const above = <Link to="/status-pages">{text.title}</Link>;

export function NewStatusPagePage() {
  return (
    <>
      <PageHead title={text.create} above={above} />
      <Editor page={null} />
    </>
  );
}

export function StatusPagePage() {
  const { pageId } = useParams({ from: '/shell/status-pages/$pageId' });
  const { write } = useMay();
  const page = useRead('getStatusPage', { params: { id: pageId } });
  const remove = useWrite('deleteStatusPage', pageReads);
  const navigate = useNavigate();
  return (
    <Loaded read={page}>
      {(shown) => (
        <>
          <PageHead title={shown.name} above={above}>
            <PublishedMark isPublished={shown.isPublished} />
            <a href={shown.pageUrl}>{text.viewPage}</a>
            <CopyButton text={shown.pageUrl} label={text.copyAddress} />
            {write && (
              <Link to="/status-pages/$pageId/subscribers" params={{ pageId: shown.id }}>
                {text.subscribers}
              </Link>
            )}
            <PageBadges page={shown} />
            {write && (
              <Remove
                name={shown.name}
                help={text.removePageHelp}
                remove={() => remove.mutateAsync({ params: { id: shown.id } })}
                onRemoved={() => void navigate({ to: '/status-pages' })}
              />
            )}
          </PageHead>
          <Editor key={shown.id} page={shown} />
          <AsYaml type="status-page" id={shown.id} />
        </>
      )}
    </Loaded>
  );
}

function Editor({ page }: { readonly page: StatusPage | null }) {
  const { write } = useMay();
  const navigate = useNavigate();
  const kept = useDraft(`status page ${page?.id ?? ''}`, pageDraft(page));
  const create = useWrite('createStatusPage', pageReads);
  const update = useWrite('updateStatusPage', pageReads);
  const { draft, change } = kept;
  const save = async (): Promise<void> => {
    const body = pageBody(draft) as unknown as InputOf<'createStatusPage'>['body'];
    if (page === null) {
      const { id, name } = await create.mutateAsync({ body });
      kept.reset();
      toast.done(text.created(name));
      return navigate({ to: '/status-pages/$pageId', params: { pageId: id } });
    }
    const { name } = await update.mutateAsync({
      params: { id: page.id },
      body: changedFields(pageBody(kept.start), body),
    });
    kept.reset();
    toast.done(text.saved(name));
    return undefined;
  };
  const rename = (name: string): void => {
    if (page === null && draft['url'] === urlOf(textOf(draft['name']))) change('url', urlOf(name));
    change('name', name);
  };
  const fields = { draft, onChange: change };
  const preview = <PagePreview draft={draft} pageId={page?.id ?? null} />;
  const isBeside = useIsBeside();
  return (
    <div className={css['editor']}>
      {!isBeside && preview}
      <EditorForm
        className={css['form']}
        kept={kept}
        isNew={page === null}
        save={save}
        error={page === null ? create.error : update.error}
        isDisabled={!write || create.isPending || update.isPending}
        submit={page === null ? text.add : text.save}
        managed={page === null ? undefined : { type: 'status-page', id: page.id }}
        actions={<Cancel kept={kept} onCancel={() => void navigate({ to: '/status-pages' })} />}
      >
        {() => (
          <>
            <Section title={text.about}>
              <AddressFields {...fields} onRename={rename} />
            </Section>
            <Section title={text.cards}>
              <CardsField {...fields} />
            </Section>
            <Section title={text.audience}>
              <AudienceFields {...fields} hasPassword={page?.hasPassword ?? false} />
            </Section>
            <Section title={text.notify}>
              <SubscribersFlag {...fields} />
              <ChannelsField {...fields} />
            </Section>
            <Section title={text.look}>
              <LookFields {...fields} />
            </Section>
            <Section title={text.footer}>
              <FooterFields {...fields} />
            </Section>
            <Fold title={text.texts} isOpen={false}>
              <TextsField {...fields} />
            </Fold>
          </>
        )}
      </EditorForm>
      {isBeside && preview}
    </div>
  );
}
