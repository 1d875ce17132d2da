export const SCOPES = ['agent:run', 'agent:read', 'agent:approve', 'agent:cancel'] as const;
export type Scope = (typeof SCOPES)[number];

export const GRANTS = ['agent_approve'] as const;
export type Grant = (typeof GRANTS)[number];

/** A person or a service account, as the directory has it at this moment. */
export interface Principal {
  readonly id: string;
  readonly kind: 'person' | 'service_account';
  readonly enabled: boolean;
  /** People only. */
  readonly admin: boolean;
  /** People only. */
  readonly grants: readonly Grant[];
  /** Service accounts only. */
  readonly scopes: readonly Scope[];
  /** `sub` of the configured OpenID issuer; never taken for the id. */
  readonly oidcSubject: string | null;
}
