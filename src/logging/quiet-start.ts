import type { LoggerService } from '@nestjs/common';

/**
 * Parts of Nest that tell one line for each module and route at every start. Their errors end the start, which says so
 * itself.
 */
const CHATTER: ReadonlySet<unknown> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Passes everything on but the start-up chatter of Nest, in which whatever matters would be lost. */
export function quietStart(logger: LoggerService): LoggerService {
  const isChatter = (rest: readonly unknown[]) => CHATTER.has(rest[rest.length - 1]);
  return {
    log: (message: unknown, ...rest: unknown[]) => {
      if (!isChatter(rest)) logger.log(message, ...rest);
    },
    error: (message: unknown, ...rest: unknown[]) => {
      if (!isChatter(rest)) logger.error(message, ...rest);
    },
    warn: (message: unknown, ...rest: unknown[]) => logger.warn(message, ...rest),
    debug: (message: unknown, ...rest: unknown[]) => logger.debug?.(message, ...rest),
    verbose: (message: unknown, ...rest: unknown[]) => logger.verbose?.(message, ...rest),
    fatal: (message: unknown, ...rest: unknown[]) => logger.fatal?.(message, ...rest),
  };
}
