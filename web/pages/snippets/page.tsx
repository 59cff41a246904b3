// Snippets of the account: scripts that several checks and groups run around their requests.
import { teardownNames } from '#checks/form.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { useMore } from '../../api/query.ts';
import { CodeInput } from '../../ui/form/code.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { TextInput } from '../../ui/form/text.tsx';
import { ResourcePage, type ResourceSort } from '../../ui/resources/resource-page.tsx';
import { Ago } from '../../ui/text/time.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';

type Snippet = AnswerOf<'listSnippets'>[number];

const snippets: ResourceSort<Snippet> = {
  type: 'snippet',
  operations: { uses: 'getSnippetUses', create: 'createSnippet', update: 'updateSnippet', remove: 'deleteSnippet' },
  refreshes: ['listSnippets', 'listNotices'],
  words: text,
  id: 'id',
  name: 'name',
  columns: [
    { id: 'name', title: text.columns.name, isName: true, cell: ({ name }) => name },
    { id: 'id', title: text.columns.id, cell: ({ id }) => id },
    {
      id: 'changed',
      title: text.columns.changed,
      cell: ({ created_at, updated_at }) => <Ago at={updated_at ?? created_at} />,
    },
  ],
  isKeptWhileUsed: true,
  startOf: (row) => ({ name: row?.name ?? '', script: row?.script ?? '' }),
  Fields: ({ draft, onChange }) => (
    <>
      <div className={parts['short']}>
        <TextInput
          name="name"
          label={text.name}
          placeholder={text.nameExample}
          value={textOf(draft['name'])}
          onChange={(value) => onChange('name', value)}
          isRequired
        />
      </div>
      <CodeInput
        name="script"
        label={text.script}
        help={text.scriptHelp}
        placeholder={text.scriptExample}
        snippets={text.examples}
        names={teardownNames}
        value={textOf(draft['script'])}
        onChange={(value) => onChange('script', value)}
      />
    </>
  ),
  bodyOf: (draft) => draft,
};

export function SnippetsPage() {
  const list = useMore('listSnippets');
  return <ResourcePage sort={snippets} list={{ ...list, more: list }} />;
}
