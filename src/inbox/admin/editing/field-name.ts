import { allFields, type Field } from '../../form/field.js';
import type { FormFault } from '../../form/form-faults.js';

/** What the field of a fault is called; null for a fault of the whole form. */
export function nameOfField(root: Field, { field, pointer }: FormFault): string | null {
  const found = [...allFields(root)].find((one) => one.pointer === field);
  return found === undefined || found === root ? null : (found.title ?? pointer);
}
