import { solveChallengeWorkers } from 'altcha-lib'
import type { Challenge } from 'altcha-lib/types'

/** The captcha that the login asks for: a provider, with its site key or with a challenge of our own server. */
export interface CaptchaOffer {
  provider: 'altcha' | 'recaptcha' | 'hcaptcha' | 'turnstile' | 'none'
  site_key?: string | undefined
  challenge?: unknown
}

/** A captcha with the solution in progress. */
export interface LoadedCaptcha {
  offer: CaptchaOffer
  /** When it was offered, by the clock and since the page began, in milliseconds. */
  at: readonly [number, number]
  /** The solution of our own challenge; null for other providers, and after an abort. */
  solution: Promise<string | null>
}

/** Loads a captcha and begins to solve it if it is our own. */
export async function loadCaptcha(
  load: () => Promise<CaptchaOffer>,
  controller: AbortController,
): Promise<LoadedCaptcha> {
  const offer = await load()
  const at = [Date.now(), performance.now()] as const
  const solution = offer.provider === 'altcha' ? solve(offer.challenge, controller) : Promise.resolve(null)
  // Callers that await the solution handle its failure. This avoids an unhandled rejection for the others.
  solution.catch(() => {})
  return { offer, at, solution }
}

let ahead: { loaded: Promise<LoadedCaptcha>; controller: AbortController } | null = null

/** Loads a captcha before the login form is rendered; the form takes it with `takeLoaded`. */
export function loadAhead(load: () => Promise<CaptchaOffer>): void {
  const controller = new AbortController()
  const loaded = loadCaptcha(load, controller)
  loaded.catch(() => {})
  ahead = { loaded, controller }
}

/** Returns the captcha that was loaded ahead, to the first caller only. Aborting `leaving` aborts its solution. */
export function takeLoaded(leaving: AbortSignal): Promise<LoadedCaptcha> | undefined {
  const taken = ahead
  ahead = null
  leaving.addEventListener('abort', () => taken?.controller.abort())
  return taken?.loaded
}

/**
 * Solves our own challenge in web workers, so that typing stays smooth. Returns null after an abort. WebCrypto needs a
 * single worker; without HTTPS the slower implementation uses up to eight cores. `onTries` is called with the
 * number of further tries.
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
    // The server decides when a challenge has expired.
    timeout: 0,
    createWorker: () => {
      const worker = new Worker(new URL('./captchaWorker.ts', import.meta.url), { type: 'module' })
      worker.addEventListener('message', (event: MessageEvent<{ tries?: number } | null>) => {
        if (event.data?.tries === undefined) return
        // The library would treat a progress message as the solution.
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
  callback: (solution: string) => void
  'expired-callback': () => void
  'error-callback': () => void
}

/** The three providers' scripts have the same interface under three global names. */
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

/** Renders a provider's widget into `element`. */
export async function draw(provider: Widget, element: HTMLElement, options: RenderOptions): Promise<void> {
  const { src, global } = SCRIPTS[provider]
  if (!window[global]) await load(`${src}?render=explicit&onload=captchaLoaded`)
  const loaded = window[global]
  if (!loaded) throw new Error(UNREACHED)
  loaded.render(element, options)
}

const UNREACHED = 'The verification service cannot be reached. Perhaps this browser blocks it.'

function load(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    window.captchaLoaded = resolve
    const script = document.createElement('script')
    script.src = src
    script.async = true
    script.onerror = () => {
      script.remove()
      reject(new Error(UNREACHED))
    }
    document.head.append(script)
  })
}
