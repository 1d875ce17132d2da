import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInstance,
  IsInt,
  IsNumber,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

/*
 * The rules that occur in several bodies, each with a message of ours. Only the first that is broken is told: the order
 * within a rule is from what the others take for granted.
 */

/** May be left out. `null` is not the same as leaving it out: an allow-list of `null` must not come to mean "all". */
export const Optional = () => ValidateIf((_form, value) => value !== undefined);

export function IsText(most = Number.MAX_SAFE_INTEGER): PropertyDecorator {
  return applyDecorators(
    IsString({ message: 'must be a string' }),
    MaxLength(most, { message: `must have at most ${most} characters` }),
  );
}

/** A text with something in it. */
export function IsFilledText(most: number): PropertyDecorator {
  return applyDecorators(IsText(most), Matches(/\S/, { message: 'must not be empty' }));
}

export function IsNumberWithin(least: number, most: number): PropertyDecorator {
  const told = { message: `must be a number from ${least} to ${most}` };
  return applyDecorators(IsNumber({ allowNaN: false, allowInfinity: false }, told), Min(least, told), Max(most, told));
}

export function IsWholeFrom(least: number): PropertyDecorator {
  const told = { message: least < 0 ? 'must be a whole number' : `must be a whole number from ${least}` };
  return applyDecorators(IsInt(told), Min(least, told));
}

/** A DTO within a DTO. Its class is asked for by name: a list would pass for an object otherwise. */
export function IsForm(dto: new () => object): PropertyDecorator {
  return applyDecorators(
    IsInstance(dto, { message: 'must be an object' }),
    ValidateNested(),
    Type(() => dto),
  );
}

export function IsFormList(dto: new () => object, most: number): PropertyDecorator {
  return applyDecorators(
    IsArray({ message: 'must be an array' }),
    ArrayMaxSize(most, { message: `must have at most ${most} items` }),
    IsInstance(dto, { each: true, message: 'must have items that are objects' }),
    ValidateNested({ each: true }),
    Type(() => dto),
  );
}

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
