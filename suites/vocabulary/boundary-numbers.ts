// Positive int64 that programs have lost: at and next to every power of two and of ten. Beyond 2^53
// a double cannot tell such neighbours apart.

const maxInt64 = 2n ** 63n - 1n

const powers = [
  ...Array.from({ length: 64 }, (_, exponent) => 2n ** BigInt(exponent)),
  ...Array.from({ length: 19 }, (_, exponent) => 10n ** BigInt(exponent)),
]

export const edgeNumbers: readonly bigint[] = [
  ...new Set(powers.flatMap((power) => [power - 1n, power, power + 1n])),
].filter((number) => number > 0n && number <= maxInt64)
