/** The value in the middle; of an even number of them the mean of the two. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
