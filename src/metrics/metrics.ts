import { Injectable } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What is read at the moment of a scrape, from wherever it is. */
export interface Readings {
  /** Segments that this process executes. */
  segments?(): number;
  /** Runs that are due and wait for a worker. */
  dueRuns?(): number;
  /** How long the run that is due for longest waits for a worker, in milliseconds. */
  longestDueMs?(): number;
  /** Providers whose circuit is open. */
  openCircuits?(): number;
  /** Milliseconds by which each feed of this process is behind the log. */
  feedsBehindMs?(): Readonly<Record<string, number>>;
}

/**
 * Everything that is counted, in the words of the rules. Labels are names and classes of ours: no id of a run or of a
 * person, and never content.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly readings: Readings[] = [];

  private readonly claims = this.counter('holdpoint_claims_total', 'Attempts to claim a run, by what came of them.', [
    'reply',
  ]);
  private readonly segments = this.counter('holdpoint_segments_total', 'Segments executed, by how they ended.', [
    'end',
  ]);
  private readonly setAsideRuns = this.counter(
    'holdpoint_runs_set_aside_total',
    'Times that a run could not be worked on and was left for later.',
    ['error'],
  );
  private readonly modelCalls = new Histogram({
    name: 'holdpoint_model_call_seconds',
    help: 'Duration of model calls, by outcome: answered, or the class of the failure.',
    labelNames: ['outcome'],
    buckets: [0.1, 0.3, 1, 3, 10, 30, 100],
    registers: [this.registry],
  });
  private readonly toolCalls = new Histogram({
    name: 'holdpoint_tool_call_seconds',
    help: 'Duration of tool calls, by tool and outcome.',
    labelNames: ['tool', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 100],
    registers: [this.registry],
  });
  private readonly requeues = this.counter('holdpoint_requeues_total', 'Runs requeued after a failure, by its class.', [
    'reason',
  ]);

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.gauge('holdpoint_segments_in_flight', 'Segments that this process executes now.', ({ segments }) =>
      segments?.(),
    );
    this.gauge('holdpoint_due_runs', 'Runs that are due and wait for a worker, counted up to 100,000.', ({ dueRuns }) =>
      dueRuns?.(),
    );
    this.gauge(
      'holdpoint_longest_due_seconds',
      'How long the run that is due for longest waits for a worker.',
      ({ longestDueMs }) => (longestDueMs?.() ?? 0) / 1_000,
    );
    this.gauge('holdpoint_open_circuits', 'Providers that are not called for now.', ({ openCircuits }) =>
      openCircuits?.(),
    );
    this.feedGauge();
  }

  /** The text that Prometheus reads. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Adds what is read at every scrape. */
  read(readings: Readings): void {
    this.readings.push(readings);
  }

  claimed(reply: string): void {
    this.claims.inc({ reply });
  }

  segmentEnded(end: string): void {
    this.segments.inc({ end });
  }

  setAside(error: string): void {
    this.setAsideRuns.inc({ error });
  }

  modelCalled(outcome: string, durationMs: number): void {
    this.modelCalls.observe({ outcome }, durationMs / 1_000);
  }

  toolCalled(tool: string, outcome: string, durationMs: number): void {
    this.toolCalls.observe({ tool, outcome }, durationMs / 1_000);
  }

  requeued(reason: string): void {
    this.requeues.inc({ reason });
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge(name: string, help: string, value: (readings: Readings) => number | undefined): void {
    const { readings } = this;
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(readings.reduce((sum, reading) => sum + (value(reading) ?? 0), 0));
      },
    });
  }

  private feedGauge(): void {
    const { readings } = this;
    new Gauge({
      name: 'holdpoint_feed_behind_seconds',
      help: 'How long a feed of this process has known of events that it has not taken in.',
      labelNames: ['feed'],
      registers: [this.registry],
      collect() {
        for (const { feedsBehindMs } of readings) {
          for (const [feed, behindMs] of Object.entries(feedsBehindMs?.() ?? {})) this.set({ feed }, behindMs / 1_000);
        }
      },
    });
  }
}
