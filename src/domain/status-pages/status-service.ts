// Services of status pages: what customers know, and the checks that tell its state.

export const incidentSeverities = ['MINOR', 'MEDIUM', 'MAJOR', 'CRITICAL'] as const;
export type IncidentSeverity = (typeof incidentSeverities)[number];

export const proposalModes = ['PROPOSE', 'PUBLISH', 'NEVER'] as const;
/** What a failure of the service does: opens a draft, opens one that is published by itself, or nothing. */
export type ProposalMode = (typeof proposalModes)[number];

/** How failures of a service become incidents. */
export interface IncidentRule {
  readonly mode: ProposalMode;
  /** PUBLISH: minutes until the draft is published. */
  readonly afterMinutes: number;
  readonly severity: IncidentSeverity;
  /** Title; null = the name of the service. */
  readonly name: string | null;
  /** First update; null = a sentence of the language. */
  readonly description: string | null;
  /** Last update, when it recovered; null = a sentence of the language. */
  readonly resolution: string | null;
  readonly notifySubscribers: boolean;
}

/** How many checks, or locations of its checks, must fail until the service does. */
export interface ServiceThreshold {
  readonly of: 'CHECKS' | 'LOCATIONS';
  readonly count: number;
}

/** A service. Without checks, groups and tags, only incidents tell its state. Instants are epoch ms. */
export interface StatusService {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
  /** Checks that have one of these tags, or whose group has. */
  readonly tags: readonly string[];
  /** null = the worst state wins. */
  readonly threshold: ServiceThreshold | null;
  readonly incidents: IncidentRule;
  /** Whether pages show its days and uptime. */
  readonly showHistory: boolean;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Fields of a service that a write sets. */
export type StatusServiceWrite = Omit<StatusService, 'accountId' | 'id' | 'createdAt' | 'updatedAt'>;

/** The incident rule of a service that states none. */
export const defaultIncidentRule: IncidentRule = {
  mode: 'PROPOSE',
  afterMinutes: 0,
  severity: 'MAJOR',
  name: null,
  description: null,
  resolution: null,
  notifySubscribers: true,
};

/** Whether only incidents tell its state. */
export function isManual({ checkIds, groupIds, tags }: Pick<StatusService, 'checkIds' | 'groupIds' | 'tags'>): boolean {
  return checkIds.length === 0 && groupIds.length === 0 && tags.length === 0;
}
