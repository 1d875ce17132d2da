import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/**
 * Tells those who wait for something that may come late that the service begins to stop. They are let go with what is
 * known by then, while everything can still be read, rather than cut off at the end: nothing depends on them (CLM-7).
 */
@Injectable()
export class Stopping implements OnModuleDestroy {
  private readonly begun = new AbortController();

  get signal(): AbortSignal {
    return this.begun.signal;
  }

  onModuleDestroy(): void {
    this.begun.abort();
  }
}
