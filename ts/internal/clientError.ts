/** What an error of the caller's client says of a failure, without what it holds of the request. */
import type * as HttpClientError from "effect/http/HttpClientError"

/** Words that name a failure and hold nothing of the request: `ECONNREFUSED`, `UND_ERR_SOCKET`, `TypeError`. */
const failureName = /^[A-Za-z][A-Za-z0-9_]{0,39}$/

/**
 * What lies under a client's error, by name only: the errors themselves hold the request, their messages its headers and
 * URL, and with them the client's credentials.
 */
export const causeOf = ({ reason }: HttpClientError.HttpClientError): Error | undefined => {
  const names: Array<string> = []
  try {
    const under = "cause" in reason ? reason.cause : undefined
    for (let at = under; at instanceof Error && names.length < 4; at = at.cause) {
      const name: unknown = "code" in at && typeof at.code === "string" ? at.code : at.name
      if (typeof name === "string" && failureName.test(name)) names.push(name)
    }
  } catch {
    // An error that cannot be looked at says nothing.
  }
  return names.length === 0 ? undefined : new Error(names.join(": "))
}
