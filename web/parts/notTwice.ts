/** What a dialog says once an answer was lost, and a field that cannot be changed meanwhile. */
export const NOT_TWICE = 'Try again or cancel: nothing is done twice'
