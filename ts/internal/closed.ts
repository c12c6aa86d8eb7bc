import * as Schema from "effect/Schema"

/** A struct of which no other key decodes. */
export interface ClosedStruct<Fields extends Schema.Struct.Fields>
  extends Schema.Codec<Schema.Struct.Type<Fields>, Schema.Struct.Encoded<Fields>>
{
  readonly fields: Fields
}

/**
 * A struct that refuses a key it does not know, where Effect's own leaves it out: a stored request that lost a part of
 * itself would be another request.
 */
export const closedStruct = <const Fields extends Schema.Struct.Fields>(fields: Fields): ClosedStruct<Fields> => {
  const unknownKey = Schema.String.check(Schema.makeFilter((key: string) => !Object.hasOwn(fields, key)))
  const unknownValue = Schema.Unknown.check(Schema.makeFilter(() => "a key that this version of toolkit-native does not know"))
  const closed = Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(unknownKey, unknownValue)])
  return Object.assign(closed, { fields }) as unknown as ClosedStruct<Fields>
}
