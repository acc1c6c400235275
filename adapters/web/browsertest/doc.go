// Package browsertest has the tests of adapters/web in a real browser. It is a module of its own,
// so that users of adapters/web do not get chromedp.
package browsertest
