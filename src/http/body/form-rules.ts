import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsIn, Matches, ValidateIf } from 'class-validator';

/*
 * The rules that occur in several bodies, each with a message of ours. `each` applies a rule to every item of a list.
 */

/** May be left out. `null` is not the same as leaving it out: an allow-list of `null` must not come to mean "all". */
export const Optional = () => ValidateIf((_form, value) => value !== undefined);

const ID = /^[A-Za-z0-9_-]{1,64}$/;

export const IsRecordId = () => Matches(ID, { message: 'must match [A-Za-z0-9_-]{1,64}' });

/** Ids of records, or names of tools: both have the same form. */
export function IsIdList(most: number): PropertyDecorator {
  return applyDecorators(
    IsArray({ message: 'must be an array' }),
    ArrayMaxSize(most, { message: `must have at most ${most} items` }),
    Matches(ID, { each: true, message: 'must have items that match [A-Za-z0-9_-]{1,64}' }),
  );
}

export function IsListOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(
    IsArray({ message: 'must be an array' }),
    ArrayMaxSize(values.length, { message: `must have at most ${values.length} items` }),
    IsIn([...values], { each: true, message: `must have items out of ${values.join(', ')}` }),
  );
}

export const IsOneOf = (values: readonly string[]) =>
  IsIn([...values], { message: `must be one of ${values.join(', ')}` });
