// Package measure holds what is measured, once for both collectors: a Side is
// one of them, and a row gives each the same objects, in the same order, on the
// same server, and looks at the same figures, and at the end state.
//
// A row runs in a process of its own, which answers with one line of JSON.
package measure
