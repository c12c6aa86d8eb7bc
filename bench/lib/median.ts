/** The value in the middle; of an even number of them the lower of the two. */
export const median = (values: ReadonlyArray<number>): number => values.toSorted((one, other) => one - other)[(values.length - 1) >> 1]!
