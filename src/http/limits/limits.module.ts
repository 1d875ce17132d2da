import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type LimitSettings, Limits } from './limits.js';

@Global()
@Module({})
class LimitsModule {}

/** One count for the whole process: calls of the interface and what is sent from pages add up. */
export function limitsModule(settings: LimitSettings): DynamicModule {
  return {
    module: LimitsModule,
    providers: [{ provide: Limits, useFactory: () => new Limits(settings) }],
    exports: [Limits],
  };
}
