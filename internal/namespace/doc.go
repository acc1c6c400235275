// Package namespace explains a namespace of Kubernetes that does not terminate: its conditions,
// the objects that remain in it, and the next actors. Commands share it, so a dump has the
// answer of the cluster.
package namespace
