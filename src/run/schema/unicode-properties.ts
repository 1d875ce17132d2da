import { RE2JS, RE2JSException } from 're2js';

/**
 * The name of a Unicode property (as between the braces of `\p{…}` in JavaScript) for the linear engine, which knows general
 * categories by their short names and scripts without a prefix; `undefined` where it does not know the property.
 */
export function propertyForLinearEngine(property: string): string | undefined {
  const [kind, value] = property.split('=');
  if (value === undefined) return known(CATEGORIES.get(property) ?? property);
  if (kind === 'Script' || kind === 'sc') return known(value);
  if (kind === 'General_Category' || kind === 'gc') return known(CATEGORIES.get(value) ?? value);
  return undefined;
}

function known(name: string): string | undefined {
  try {
    RE2JS.compile(`\\p{${name}}`);
    return name;
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}

const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['Cased_Letter', 'LC'],
  ['Close_Punctuation', 'Pe'],
  ['Combining_Mark', 'M'],
  ['Connector_Punctuation', 'Pc'],
  ['Control', 'Cc'],
  ['Currency_Symbol', 'Sc'],
  ['Dash_Punctuation', 'Pd'],
  ['Decimal_Number', 'Nd'],
  ['Enclosing_Mark', 'Me'],
  ['Final_Punctuation', 'Pf'],
  ['Format', 'Cf'],
  ['Initial_Punctuation', 'Pi'],
  ['Letter', 'L'],
  ['Letter_Number', 'Nl'],
  ['Line_Separator', 'Zl'],
  ['Lowercase_Letter', 'Ll'],
  ['Mark', 'M'],
  ['Math_Symbol', 'Sm'],
  ['Modifier_Letter', 'Lm'],
  ['Modifier_Symbol', 'Sk'],
  ['Nonspacing_Mark', 'Mn'],
  ['Number', 'N'],
  ['Open_Punctuation', 'Ps'],
  ['Other', 'C'],
  ['Other_Letter', 'Lo'],
  ['Other_Number', 'No'],
  ['Other_Punctuation', 'Po'],
  ['Other_Symbol', 'So'],
  ['Paragraph_Separator', 'Zp'],
  ['Private_Use', 'Co'],
  ['Punctuation', 'P'],
  ['Separator', 'Z'],
  ['Space_Separator', 'Zs'],
  ['Spacing_Mark', 'Mc'],
  ['Surrogate', 'Cs'],
  ['Symbol', 'S'],
  ['Titlecase_Letter', 'Lt'],
  ['Unassigned', 'Cn'],
  ['Uppercase_Letter', 'Lu'],
  ['cntrl', 'Cc'],
  ['digit', 'Nd'],
  ['punct', 'P'],
]);
