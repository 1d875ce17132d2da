/**
 * Whether one number is a whole multiple of another, by the decimal digits that people write: 19.99 is a multiple of 0.01, though
 * dividing the binary fractions says 1998.9999999999998.
 */
export function isMultipleOf(value: number, factor: number): boolean {
  const [valueDigits, valueExponent] = decimal(value);
  const [factorDigits, factorExponent] = decimal(factor);
  const common = Math.min(valueExponent, factorExponent);
  return scaled(valueDigits, valueExponent - common) % scaled(factorDigits, factorExponent - common) === 0n;
}

/** The shortest decimal form that reads back as the number: digits × 10^exponent. */
function decimal(number: number): [digits: bigint, exponent: number] {
  const [mantissa = '', exponent = '0'] = number.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

function scaled(digits: bigint, tens: number): bigint {
  return digits * 10n ** BigInt(tens);
}
