// Package upstream builds a program that measures the garbage collector of
// Kubernetes by its unexported parts.
//
// Go replaces no file of the module cache, so the files of upstream's package are
// copied from there into a module in the user's cache folder, beside a bridge of
// ours, and built there. Nothing of upstream is in this repository.
package upstream
