import type { LoggerService } from '@nestjs/common';
import type { FeedReport } from './feed-runner.js';

/** Writes what an operator should know of a feed to the log. */
export function reportTo(logger: Pick<LoggerService, 'warn' | 'error' | 'log'>): (report: FeedReport) => void {
  return (report) => {
    const { kind, consumer } = report;
    if (kind === 'retrying') {
      // The first failure of a row and then rarer and rarer ones: a store that is away for an hour is one story.
      if (Number.isInteger(Math.log2(report.failures))) {
        logger.warn(`${consumer}: ${report.errorClass}, tried again (${report.failures})`);
      }
    } else if (kind === 'replayed') {
      logger.log(`${consumer}: ${report.stream} was taken in again, whole`);
    } else {
      const { stream, revision, type, errorClass } = report.event;
      const consequence = kind === 'parked' ? 'is parked' : 'stops everything';
      logger.error(`${consumer}: event ${revision} of ${stream} (${type}) ${consequence}: ${errorClass}`);
    }
  };
}
