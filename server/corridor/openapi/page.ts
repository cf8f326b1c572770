import type { Document, JsonSchema, Operation, Response } from './document.ts'

/** One page without a script, so that it needs no exception from the console's policy. */
export function referencePage({ info, paths, components }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))]
  const sections = tags.map((tag) => {
    const calls = operations.filter(({ operation }) => operation.tags.includes(tag))
    return `<h2 id="${tag}">${capital(tag)}</h2>${calls.map(({ path, method, operation }) => callOf(path, method, operation)).join('')}`
  })
  const about = info.description.split('\n\n').map((paragraph) => `<p>${prose(paragraph)}</p>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)} API</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(info.title)} API</h1>${about.join('')}
<p>Every path is under <code>/v1</code>. The token of a session travels in the header <code>access-token</code> or as
<code>Authorization: Bearer</code>. For machines there is <a href="openapi.json">openapi.json</a>.</p>
<nav>${tags.map((tag) => `<a href="#${tag}">${capital(tag)}</a>`).join(' ')} <a href="#refusal">Refusals</a></nav>
${sections.join('\n')}
<h2 id="refusal">Refusals</h2><p>Every failure has this shape.</p>${tableOf(fieldsOf(components.schemas.Refusal))}
</main></body></html>`
}

function callOf(path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const rows = parameters
    .map(({ name, in: place, required, schema, description }) =>
      cells(name, place, required, schema, description),
    )
    .concat(fieldsOf(requestBody?.content['application/json']?.schema))
  return `<details id="${operationId}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escaped(path)}</code>
<span>${escaped(summary)}</span></summary><p>${prose(description)}</p>
${rows.length > 0 ? tableOf(rows) : ''}
<p>Answers</p>${answersOf(responses[200])}</details>`
}

function answersOf(response: Response | undefined): string {
  const content = Object.entries(response?.content ?? {})
  return content
    .map(([type, { schema }]) => `<pre>${prose(type === 'application/json' ? typeOf(schema) : type)}</pre>`)
    .join('')
}

function fieldsOf(schema: JsonSchema | undefined): string[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) =>
    cells(name, 'body', schema?.required?.includes(name) ?? false, field as JsonSchema),
  )
}

function tableOf(rows: string[]): string {
  return `<table><tr><th>Field<th>In<th>Needed<th>What</tr>${rows.join('')}</table>`
}

function cells(
  name: string,
  place: string,
  required: boolean,
  schema: JsonSchema,
  description?: string,
): string {
  const what = described(schema, '', description)
  return `<tr><td><code>${escaped(name)}</code><td>${place}<td>${required ? 'yes' : 'no'}<td>${prose(what)}</tr>`
}

function described(schema: JsonSchema, indent: string, description = schema.description): string {
  return [typeOf(schema, indent), description].filter(Boolean).join('. ')
}

function typeOf(schema: JsonSchema, indent = ''): string {
  return `${shapeOf(schema, indent)}${byDefault(schema)}`
}

function shapeOf(schema: JsonSchema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one as JsonSchema, indent)).join(' | ')
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => shapeOf({ ...schema, type } as JsonSchema, indent)).join(' | ')
  }
  switch (schema.type) {
    case 'object':
      return objectOf(schema, indent)
    case 'array':
      return `list${limits(schema.minItems, schema.maxItems)} of ${typeOf((schema.items ?? {}) as JsonSchema, indent)}`
    case 'string':
      return stringOf(schema)
    case 'integer':
    case 'number':
      return `whole number${limits(schema.minimum, schema.maximum)}`
    case 'boolean':
    case 'null':
      return schema.type === 'boolean' ? 'true | false' : 'null'
    default:
      return 'anything'
  }
}

function objectOf(schema: JsonSchema, indent: string): string {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) {
    const { additionalProperties: each } = schema
    return typeof each === 'object' ? `object of ${typeOf(each as JsonSchema, indent)}` : 'object'
  }
  const lines = fields.map(([name, field]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    return `${indent}  ${name}${mark}: ${described(field as JsonSchema, `${indent}  `)}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function stringOf(schema: JsonSchema): string {
  if (schema.format === 'date') return 'day'
  if (schema.pattern?.includes('T\\d{2}')) return 'moment'
  const form = schema.pattern === undefined ? '' : ` of the form ${schema.pattern}`
  return `text${limits(schema.minLength, schema.maxLength)}${form}`
}

function limits(least: number | undefined, most: number | undefined): string {
  if (least === undefined && most === undefined) return ''
  if (least === undefined) return ` (at most ${most})`
  return most === undefined ? ` (at least ${least})` : ` (${least} to ${most})`
}

function byDefault(schema: JsonSchema): string {
  return schema.default === undefined ? '' : `, ${JSON.stringify(schema.default)} if not given`
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 } main { max-width: 60rem; margin: 0 auto; padding: 1.5rem }
nav a { margin-right: .75rem } h2 { margin-top: 2rem }
details { border-top: 1px solid #8884; padding: .5rem 0 } summary { cursor: pointer }
summary span { opacity: .8 } b { display: inline-block; min-width: 4rem; font-size: .85rem }
code, pre { font: .9em/1.5 ui-monospace, monospace } pre { background: #8881; padding: .75rem; overflow: auto }
table { border-collapse: collapse; width: 100% } th { text-align: left }
td, th { padding: .25rem .75rem .25rem 0; vertical-align: top; border-top: 1px solid #8882 }`
