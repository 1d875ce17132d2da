import type { RunEvent } from '../../events/run-events.js';
import type { FeedConsumer, FeedEvent, ParkedEvent } from '../../subscriptions/feed-consumer.js';
import { FeedProgress } from '../../subscriptions/feed-progress.js';
import { auditEntry, runIdIn, type ShownCall } from './audit-entry.js';
import type { AuditTable } from './audit-table.js';
import { AUDIT_KINDS, AUDITED_PREFIXES, AUDITED_TYPES } from './audited-events.js';

const TOLD: ReadonlySet<string> = new Set(AUDIT_KINDS);

/**
 * Keeps one row for each thing that somebody did or tried to do. Rows and checkpoint are written in one transaction; the
 * file can be deleted at any time and is made anew from the log, which is what the audit really is.
 */
export class AuditProjection implements FeedConsumer {
  readonly name = 'audit';
  readonly prefixes = AUDITED_PREFIXES;
  readonly types = AUDITED_TYPES;
  readonly #progress: FeedProgress;

  constructor(private readonly table: AuditTable) {
    this.#progress = new FeedProgress(table.database, this.name);
  }

  checkpoint(): bigint {
    return this.#progress.checkpoint();
  }

  begin(): void {
    this.#progress.begin();
  }

  reachedEnd(): void {
    this.#progress.rebuilt();
  }

  apply(events: readonly FeedEvent[], position: bigint): void {
    this.#progress.take(events, position, (unseen) => this.#write(unseen));
  }

  park(event: ParkedEvent): void {
    this.#progress.park(event);
  }

  parkedStreams(): readonly string[] {
    return this.#progress.parkedStreams();
  }

  replay(stream: string, events: readonly FeedEvent[], upTo: bigint): void {
    this.#progress.replay(stream, events, upTo, (passed) => {
      this.table.deleteEntries(stream);
      this.#write(passed);
    });
  }

  #write(events: readonly FeedEvent[]): void {
    for (const event of events) {
      const runId = runIdIn(event.stream);
      if (TOLD.has(event.type) && !isHousekeeping(event)) {
        this.table.put(
          event.stream,
          auditEntry(event, (run, digest) => this.table.shown(run, digest)),
        );
      }
      // The codec has checked it, and streams of runs hold nothing else.
      if (runId !== undefined) this.#remember(runId, event as unknown as RunEvent);
    }
  }

  #remember(runId: string, event: RunEvent): void {
    switch (event.type) {
      case 'ModelResponded': {
        const { calls } = event.data;
        const asks = calls.some(({ disposition }) => disposition === 'input' || disposition === 'approval');
        if (asks) this.table.answered(runId, calls.map(shownCall));
        return;
      }
      case 'RunSuspendedForInput':
      case 'RunSuspendedForApproval':
        this.table.waits(runId, event.data.turnDigest, event.data.requests.map(shownCall));
        return;
      case 'RunCompleted':
      case 'RunFailed':
      case 'RunCancelled':
        this.table.settled(runId);
        return;
      default:
    }
  }
}

/** Content that is erased because its time has come is nobody's doing. */
function isHousekeeping({ type, data }: FeedEvent): boolean {
  return type === 'RunContentErased' && (data as { readonly reason?: unknown }).reason !== 'request';
}

function shownCall({ callId, toolName }: ShownCall): ShownCall {
  return { callId, toolName };
}
