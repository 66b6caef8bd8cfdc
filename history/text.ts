// Text that is printed. What it says is decided elsewhere, by data: so nothing can compare a text
// with a string, search it or take it apart; it can only be put into another one.

declare const printed: unique symbol

/** A string, which the compiler does not know as one. */
export interface Text {
  readonly [printed]: never
}

export const text = (words: string | Text): Text => words as unknown as Text

/** How much there is to read: of two failures the shorter one is shown first. */
export const lengthOf = (words: Text | undefined): number => `${words ?? ''}`.length

/** Whether it quotes all of what the target sent: then that is not printed again. */
export const quotes = (words: Text | undefined, body: string): boolean =>
  body !== '' && `${words}`.includes(body)
