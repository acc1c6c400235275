// Package browser tests the pages of adapters/web in a real browser: Debian's Chromium. It is a
// module of its own, so that users of adapters/web do not get chromedp.
package browser
