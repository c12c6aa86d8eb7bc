/** How an answer says that its body is all there, so that whoever needs it takes it without an effect for that. */

/** The bytes of a body that came with its head. Answers of other clients do not have it, nor those whose stream was begun. */
export const arrived: unique symbol = Symbol("toolkit-native/arrived")
