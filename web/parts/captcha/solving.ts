import { solveChallengeWorkers } from 'altcha-lib'
import type { Challenge } from 'altcha-lib/types'

/** What the login asks for: a provider, with the key of its widget or a challenge of our own. */
export interface CaptchaOffer {
  provider: 'altcha' | 'recaptcha' | 'hcaptcha' | 'turnstile' | 'none'
  site_key?: string | undefined
  challenge?: unknown
}

/** What asking has led to. */
export interface Asked {
  offer: CaptchaOffer
  /** The answer to a challenge of our own once it is found; null where there was none, or where it was given up. */
  answer: Promise<string | null>
}

/** Fetches what is asked, and begins to solve it where that is ours to do. */
export async function ask(load: () => Promise<CaptchaOffer>, controller: AbortController): Promise<Asked> {
  const offer = await load()
  const answer = offer.provider === 'altcha' ? solve(offer.challenge, controller) : Promise.resolve(null)
  // Whoever asked hears of a failure; nobody else has to.
  answer.catch(() => {})
  return { offer, answer }
}

let early: { asked: Promise<Asked>; controller: AbortController } | null = null

/** Asks before there is anything to show it in: the first question on the page takes what has come of it. */
export function askAhead(load: () => Promise<CaptchaOffer>): void {
  const controller = new AbortController()
  const asked = ask(load, controller)
  asked.catch(() => {})
  early = { asked, controller }
}

/** What was asked ahead, once; giving it up goes by `leaving` from then on. */
export function takeEarly(leaving: AbortSignal): Promise<Asked> | undefined {
  const taken = early
  early = null
  leaving.addEventListener('abort', () => taken?.controller.abort())
  return taken?.asked
}

/**
 * Solves a challenge of our own beside the page, so that typing never stutters; null where it was given up.
 * The browser's own cryptography needs a single worker; the script that replaces it on a page without HTTPS takes
 * every core that it can get. `onTries` is told now and then how many tries more were made.
 */
export async function solve(
  challenge: unknown,
  controller: AbortController,
  onTries: (more: number) => void = () => {},
): Promise<string | null> {
  const solution = await solveChallengeWorkers({
    challenge: challenge as Challenge,
    controller,
    concurrency: isSecureContext ? 1 : Math.min(8, navigator.hardwareConcurrency),
    // The challenge's own end is the server's to judge.
    timeout: 0,
    createWorker: () => {
      const worker = new Worker(new URL('./captchaWorker.ts', import.meta.url), { type: 'module' })
      worker.addEventListener('message', (event: MessageEvent<{ tries?: number } | null>) => {
        if (event.data?.tries === undefined) return
        // The library takes every message for the end.
        event.stopImmediatePropagation()
        onTries(event.data.tries)
      })
      return worker
    },
  })
  return solution && btoa(JSON.stringify({ challenge, solution }))
}

type Widget = Exclude<CaptchaOffer['provider'], 'altcha' | 'none'>

interface RenderOptions {
  sitekey: string
  theme: 'light' | 'dark'
  callback: (answer: string) => void
  'expired-callback': () => void
  'error-callback': () => void
}

/** The three providers' scripts offer the same thing under three names. */
interface Provider {
  render(element: HTMLElement, options: RenderOptions): unknown
}

const SCRIPTS: Record<Widget, { src: string; global: 'grecaptcha' | 'hcaptcha' | 'turnstile' }> = {
  recaptcha: { src: 'https://www.google.com/recaptcha/api.js', global: 'grecaptcha' },
  hcaptcha: { src: 'https://js.hcaptcha.com/1/api.js', global: 'hcaptcha' },
  turnstile: { src: 'https://challenges.cloudflare.com/turnstile/v0/api.js', global: 'turnstile' },
}

declare global {
  interface Window {
    grecaptcha?: Provider
    hcaptcha?: Provider
    turnstile?: Provider
    captchaLoaded?: () => void
  }
}

/** Draws a provider's widget into `element`. */
export async function draw(provider: Widget, element: HTMLElement, options: RenderOptions): Promise<void> {
  const { src, global } = SCRIPTS[provider]
  if (!window[global]) await load(`${src}?render=explicit&onload=captchaLoaded`)
  const loaded = window[global]
  if (!loaded) throw new Error('The verification service cannot be reached')
  loaded.render(element, options)
}

function load(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    window.captchaLoaded = resolve
    const script = document.createElement('script')
    script.src = src
    script.async = true
    script.onerror = () => {
      script.remove()
      reject(new Error('The verification service cannot be reached'))
    }
    document.head.append(script)
  })
}
