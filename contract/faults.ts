import * as z from 'zod/mini'
import { counted } from './quantities.ts'

// Every fault is a sentence for the person at the screen. The console's forms and the server's answers share them.
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined) return 'This field is required'
        if (issue.expected === 'int') return 'This must be a whole number'
        return `This must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`
      case 'unrecognized_keys':
        return `There is no field ${issue.keys.map((key) => `'${key.slice(0, 40)}'`).join(', ')} here`
      case 'too_small':
        if (issue.origin === 'string')
          return `This needs at least ${counted(Number(issue.minimum), 'character')}`
        if (issue.origin === 'array') return `This needs at least ${issue.minimum}`
        return `This must be at least ${issue.minimum}`
      case 'too_big':
        if (issue.origin === 'string') return `This takes at most ${issue.maximum} characters`
        if (issue.origin === 'array') return `This takes at most ${issue.maximum}`
        return `This must be at most ${issue.maximum}`
      case 'invalid_value':
        return `This must be one of ${issue.values.map(String).join(', ')}`
      case 'invalid_format':
        return 'This is not in the right format'
      default:
        return 'This value is not allowed here'
    }
  },
})

const TYPE_NAMES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
