import type { PipeTransform } from '@nestjs/common';
import { Problem } from '../problems/problem.js';

const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** A run of an id that no run can have is one that does not exist, like every other that the caller cannot reach (SUB-1). */
export class RunIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (RUN_ID.test(id)) return id;
    throw new Problem('run-not-found');
  }
}
