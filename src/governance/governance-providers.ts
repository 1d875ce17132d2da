import { Bootstrap } from './bootstrap.js';
import { ConfigurationPolicies } from './configuration-policies.js';
import { Configurations } from './configurations.js';
import { ContextGate } from './context-gate.js';
import { EnforcementPolicy } from './enforcement-policy.js';
import { LiveTools } from './live-tools.js';
import { Principals } from './principals.js';
import { RecordReader } from './records.js';
import { Sessions } from './sessions.js';
import { SignInLinks } from './sign-in-links.js';
import { Sources } from './sources.js';
import { Subjects } from './subjects.js';
import { TokenMint } from './token-mint.js';

/** All of them need nothing but `Streams`, and the `ToolRegistry` for live tools. */
export const GOVERNANCE_PROVIDERS = [
  RecordReader,
  EnforcementPolicy,
  Configurations,
  Sources,
  ContextGate,
  Principals,
  Subjects,
  Sessions,
  SignInLinks,
  TokenMint,
  Bootstrap,
  LiveTools,
  ConfigurationPolicies,
];
