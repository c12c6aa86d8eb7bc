/** A table in Markdown, which every page of figures is made of: labels on the left, then figures, which stand on the right. */
export const table = (
  labels: ReadonlyArray<string>,
  figures: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): string =>
  [
    `| ${[...labels, ...figures].join(" | ")} |`,
    `|${[...labels.map(() => "---"), ...figures.map(() => "--:")].join("|")}|`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`)
  ].join("\n")
