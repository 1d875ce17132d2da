import { Bootstrap } from './bootstrap.js';
import { Configurations } from './configurations.js';
import { LiveTools } from './live-tools.js';
import { Principals } from './principals.js';
import { RecordReader } from './records.js';
import { Sessions } from './sessions.js';
import { SignInLinks } from './sign-in-links.js';
import { Subjects } from './subjects.js';
import { TokenMint } from './token-mint.js';

/** All of them need nothing but `Streams`, and the `ToolRegistry` for live tools. */
export const GOVERNANCE_PROVIDERS = [
  RecordReader,
  Configurations,
  Principals,
  Subjects,
  Sessions,
  SignInLinks,
  TokenMint,
  Bootstrap,
  LiveTools,
];
