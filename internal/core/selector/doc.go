// Package selector matches labels, in the notation of Kubernetes. Stores select members of
// sweeps by labels with it, and package guard shows users a part of it.
package selector
