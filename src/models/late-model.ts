import type { ModelAnswer, ModelClient, ModelRequest } from './model-provider.js';

/**
 * A client that is made at its first call. The libraries of providers are large and slow to load, and a service that asks
 * one of them, or none, starts without the others.
 */
export class LateModel implements ModelClient {
  #made: Promise<ModelClient> | undefined;

  constructor(private readonly make: () => Promise<ModelClient>) {}

  async ask(request: ModelRequest): Promise<ModelAnswer> {
    this.#made ??= this.make();
    return (await this.#made).ask(request);
  }
}
