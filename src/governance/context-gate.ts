import { Injectable } from '@nestjs/common';
import type { RunProgress } from '../run/run-state.js';
import { type Ceiling, type ContextVerdict, contextVerdict } from './ceiling.js';
import { sourceNames } from './source-record.js';
import { type Source, Sources } from './sources.js';

/** As much of a configuration as the question takes. */
export interface GatedConfiguration {
  readonly snippetIds: readonly string[];
  readonly skillIds: readonly string[];
  readonly ceiling: Ceiling;
}

/** The names that a run carries of its sources (SRC-3). */
export type RunSources = Pick<RunProgress, 'sourceIds' | 'forcedSnippetIds' | 'forcedSkillIds'>;

/**
 * Whether what is in a run's prompt may go where its configuration leads: asked before a run exists, at the claim of
 * every segment, before every model call and when an answer comes (SRC-6), each time on the records as they are then.
 */
@Injectable()
export class ContextGate {
  constructor(private readonly sources: Sources) {}

  /** @throws {StoreUnavailable} @throws {EventUnreadable} */
  async judge(configuration: GatedConfiguration, run: RunSources): Promise<ContextVerdict> {
    return contextVerdict(await this.binding(configuration, run), configuration.ceiling);
  }

  /**
   * The sources that count, in the order of the prompt: those in it, and those that configuration and run name and that
   * could be used. What was deleted is not there to count, and an id made again counts as it is (SRC-4).
   */
  private async binding(configuration: GatedConfiguration, run: RunSources): Promise<Source[]> {
    const names = [
      ...run.sourceIds,
      ...sourceNames(configuration.snippetIds, configuration.skillIds),
      ...sourceNames(run.forcedSnippetIds, run.forcedSkillIds),
    ];
    const found = await this.sources.named([...new Set(names)]);
    // Switching a source off keeps new runs from it and takes no text out of a prompt that has it.
    return found.filter(({ source, active }) => active || run.sourceIds.includes(source));
  }
}
