export declare const parserOf: (name: "js-yaml" | "yaml") => Promise<(text: string) => unknown>
