import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { toolDeclarationOf } from './tool.decorator.js';
import type { ToolImplementation } from './tool.js';
import { ToolRegistry } from './tool-registry.js';

/** Fills the registry with every provider that carries `@Tool`, before the service takes its first request. */
@Injectable()
export class ToolDiscovery implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly registry: ToolRegistry,
  ) {}

  onModuleInit(): void {
    for (const provider of this.discovery.getProviders()) {
      const declaration = typeof provider.metatype === 'function' ? toolDeclarationOf(provider.metatype) : undefined;
      if (declaration !== undefined && provider.instance !== undefined) {
        this.registry.register({ declaration, implementation: provider.instance as ToolImplementation });
      }
    }
  }
}
