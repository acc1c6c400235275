// Package upstream builds a program that measures the garbage collector of Kubernetes
// by its unexported parts.
//
// Go cannot replace a file of the module cache. So the package copies the files of
// upstream's package into a module in the user's cache folder, adds our bridge file,
// and builds there. This repository has no file of upstream.
package upstream
