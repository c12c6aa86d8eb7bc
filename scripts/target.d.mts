export declare const target: string | undefined
export declare const platformOf: (target: string) => string
export declare const hasIsolate: (target: string) => boolean
