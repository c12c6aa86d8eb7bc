/** Lines that read well in a terminal and in a pipe: colour only where somebody looks. */

const coloured = process.stdout.isTTY && process.env["NO_COLOR"] === undefined
const style = (code: number) => (text: string): string => coloured ? `\u001b[${code}m${text}\u001b[0m` : text

export const bold = style(1)
export const dim = style(2)
export const red = style(31)
export const green = style(32)
export const yellow = style(33)

export const line = (...texts: ReadonlyArray<string>): void => {
  process.stdout.write(`${texts.join(" ")}\n`)
}

export const number = (value: number): string => value.toLocaleString("en-US")

export const cut = (text: string, length: number): string => text.length <= length ? text : `${text.slice(0, length - 1)}…`
