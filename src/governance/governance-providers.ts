import { Bootstrap } from './bootstrap.js';
import { Configurations } from './configurations.js';
import { Principals } from './principals.js';
import { RecordReader } from './records.js';
import { TokenMint } from './token-mint.js';

/** All of them need nothing but `Streams`. */
export const GOVERNANCE_PROVIDERS = [RecordReader, Configurations, Principals, TokenMint, Bootstrap];
