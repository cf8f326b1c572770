import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import { type Document, documentOf, type Operation } from '../../server/corridor/openapi/document.ts'

export interface Answer {
  method: string
  /** An absolute URL, or a path that begins with `/v1`. */
  url: string
  status: number
  type: string | null
  body: unknown
}

/**
 * Checks an answer against the OpenAPI document. An unknown path must be a refusal.
 * @throws Error that says how they differ
 */
export function checkAnswer(answer: Answer): void {
  const { pathname } = new URL(answer.url, 'http://boxtree')
  if (!pathname.startsWith('/v1/') || UNDESCRIBED.has(pathname)) return
  const operation = operationAt(answer.method.toLowerCase(), pathname.slice('/v1'.length))
  const asked = `${answer.method} ${pathname} answered ${answer.status}`
  const response =
    operation?.responses[answer.status] ??
    operation?.responses[`${String(answer.status)[0]}XX`] ??
    (answer.status >= 400 ? anyRefusal : undefined)
  if (!response) throw new Error(`${asked}, which the document lacks`)
  const type = answer.type?.split(';')[0]?.trim() ?? ''
  const content = response.content?.[type]
  if (!content) throw new Error(`${asked} as '${type}', which the document lacks`)
  if (type !== 'application/json') return
  const validate = validatorOf(content.schema)
  if (validate(answer.body)) return
  const faults = validate.errors?.map(
    ({ instancePath, message }) => `${instancePath || 'the body'} ${message}`,
  )
  throw new Error(`${asked} with ${JSON.stringify(answer.body)?.slice(0, 500)}: ${faults?.join('; ')}`)
}

const document: Document = documentOf()

/** Paths that are no calls of the contract. */
const UNDESCRIBED = new Set(['/v1/openapi.json', '/v1/docs'])

const anyRefusal = document.paths['/health']?.get?.responses['5XX']

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method,
    operation,
    // A literal path precedes one with a parameter, as in the server.
    literal: !path.includes('{'),
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]*')}$`),
  })),
)

function operationAt(method: string, path: string): Operation | undefined {
  const asked = method === 'head' ? 'get' : method
  const found = operations.filter((one) => one.method === asked && one.pattern.test(path))
  return (found.find(({ literal }) => literal) ?? found[0])?.operation
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema({ $id: 'boxtree', components: document.components })

const validators = new Map<object, ValidateFunction>()

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  // The document's references begin at its root, which ajv knows as 'boxtree'.
  const validator = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"boxtree#/')))
  validators.set(schema, validator)
  return validator
}
