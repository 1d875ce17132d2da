import type { Faults } from './faults.js';
import type { Certificate } from './server.js';

/** What the process is started with, as JSON in its one argument. */
export interface Start {
  readonly port: number;
  readonly journal: string;
  readonly certificate?: Certificate;
}

/** What a test tells the server's process to do. Each is answered once it is done. */
export type Command =
  | { readonly do: 'break'; readonly faults: Faults }
  | { readonly do: 'cut_connections' | 'freeze' | 'thaw' | 'leave' | 'return' | 'end_subscriptions' | 'count_calls' }
  | { readonly do: 'fail_subscriptions'; readonly code: number; readonly details: string };

export interface Question {
  readonly id: number;
  readonly command: Command;
}

export interface Reply {
  readonly id: number;
  readonly calls: Readonly<Record<string, number>>;
}

export interface Listening {
  readonly port: number;
}
