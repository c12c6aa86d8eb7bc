// The public types: what the namespaces in ts/ declare.
export * from "./dist/index.js"
