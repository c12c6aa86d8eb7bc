/** The owners of code, in the order in which they are told. */
export declare const owners: ReadonlyArray<string>
/** The share of each owner in the time that something takes. */
export declare const sharesOf: (run: () => Promise<unknown>) => Promise<Readonly<Record<string, number>>>
