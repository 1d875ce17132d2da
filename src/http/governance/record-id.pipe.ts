import type { PipeTransform } from '@nestjs/common';
import { isRecordId } from '../../governance/records.js';
import { invalidRequest } from '../problems/problem.js';

/** An id in the path of a governance record. */
export class RecordIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (isRecordId(id)) return id;
    throw invalidRequest([{ pointer: '', message: 'the id in the address must match [A-Za-z0-9_-]{1,64}' }]);
  }
}
