// What is deployed, and its resources after parsing: the inputs of the actions that create them.
import type { ChannelInput } from '../alerts/alert-channels.ts';
import type { CheckInput } from '../checks/check-edits.ts';
import type { GroupInput } from '../checks/check-groups.ts';
import type { WindowInput } from '../checks/maintenance-windows.ts';
import type { VariableInput } from '../masking.ts';
import type { LocationWrite } from '#store/locations/private-locations.ts';
import type { StatusServiceWrite } from '#domain/status-pages/status-service.ts';
import type { DeclaredPage } from '../status-pages/declared-page.ts';
import type { SnippetWrite } from '#store/scripts/snippets.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { DeclaredResource, ProjectSource, Resolve } from '#domain/projects/resource.ts';

/** The input of each type. */
export interface ResourceInputs {
  readonly variable: VariableInput;
  readonly 'private-location': LocationWrite;
  readonly snippet: SnippetWrite;
  readonly 'alert-channel': ChannelInput;
  readonly 'check-group': GroupInput;
  readonly check: CheckInput & { readonly checkType: CheckType };
  readonly 'maintenance-window': WindowInput;
  readonly 'status-service': StatusServiceWrite;
  readonly 'status-page': DeclaredPage;
}

/** A declared resource. */
export type ResourceInput = {
  readonly [Type in keyof ResourceInputs]: {
    readonly type: Type;
    readonly logicalId: string;
    readonly input: ResourceInputs[Type];
    /** Whether the payload lists its alert channels; otherwise they are not managed. */
    readonly isSubscribing: boolean;
  };
}[keyof ResourceInputs];

/** Parses the payloads once the IDs of all resources are known. It may throw. */
export type ParseInputs = (resolve: Resolve) => Promise<readonly ResourceInput[]>;

/** What becomes of resources that are no longer declared. */
/** `retire` = its checks stop at once, and it is deleted a week later. */
export type Undeclared = 'delete' | 'detach' | 'keep' | 'retire';

/** What to deploy. */
export interface Declaration {
  readonly logicalId: string;
  readonly name: string | null;
  readonly repoUrl: string | null;
  readonly source: ProjectSource;
  readonly resources: readonly DeclaredResource[];
  readonly undeclared: Undeclared;
  readonly isDryRun: boolean;
}
