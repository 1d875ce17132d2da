import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Stopping } from '../streams/stopping.js';
import { type LimitSettings, Limits } from './limits.js';

@Global()
@Module({})
class LimitsModule {}

/** One count for the whole process: calls of the interface and what is sent from pages add up. And one end to all waiting. */
export function limitsModule(settings: LimitSettings): DynamicModule {
  return {
    module: LimitsModule,
    providers: [{ provide: Limits, useFactory: () => new Limits(settings) }, Stopping],
    exports: [Limits, Stopping],
  };
}
