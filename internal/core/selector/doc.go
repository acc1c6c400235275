// Package selector matches labels, in the notation of Kubernetes. Stores select members of
// sweeps by labels with it, and package finalizer shows users a part of it.
package selector
