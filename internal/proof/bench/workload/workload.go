package workload

import (
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// The kinds of all workloads, each with a scope.
const (
	Deployment = graph.Kind("apps/Deployment")
	ReplicaSet = graph.Kind("apps/ReplicaSet")
	Pod        = graph.Kind("Pod")
)

// Kinds returns the set of kinds that a store reports.
func Kinds() []graph.KindInfo {
	return []graph.KindInfo{{Kind: Deployment, Scoped: true}, {Kind: ReplicaSet, Scoped: true}, {Kind: Pod, Scoped: true}}
}

// World is a set of objects that are numbered from 0, owners first. It is not safe for
// concurrent use.
type World struct {
	n     int
	shape shape
	lives []uint16 // how often a number was replaced
	state uint64   // counts versions
}

// shape describes the object with a number, without its strings.
type shape interface {
	kind(i int) graph.Kind
	owner(i int) int // -1 for none
	scope(i int) int
	blocks() bool
}

// Len returns the number of objects.
func (w *World) Len() int { return w.n }

// Owner returns the number of the owner of i, or -1.
func (w *World) Owner(i int) int { return w.shape.owner(i) }

// Replace makes number i stand for another incarnation from now on, with a name and a
// UID of its own. Its dependents do not change.
func (w *World) Replace(i int) {
	w.lives[i]++
}

func newWorld(n int, s shape) *World { return &World{n: n, shape: s, lives: make([]uint16, n)} }

// Key returns the coordinates of number i.
func (w *World) Key(i int) graph.Key {
	return graph.Key{Kind: w.shape.kind(i), Scope: w.scopeOf(i), Name: w.name(i), UID: w.uid(i)}
}

// Object returns number i at a version that no object had before.
func (w *World) Object(i int) graph.Object {
	w.state++
	o := graph.Object{Key: w.Key(i), Version: graph.Version(strconv.FormatUint(1_000_000+w.state, 10)), Generation: 1}
	if owner := w.shape.owner(i); owner >= 0 {
		k := w.Key(owner)
		k.Kind = graph.Kind(strings.Clone(string(k.Kind)))
		k.Scope = o.Scope // as a store fills it in that resolves the reference
		o.Owners = []graph.Owner{{Key: k, Block: w.shape.blocks(), Controller: true}}
	}
	return o
}

func (w *World) scopeOf(i int) string {
	b := append(make([]byte, 0, 10), "team-"...)
	return string(digits(b, uint64(w.shape.scope(i)), 5))
}

// name returns 13 bytes for an object without an owner, 24 for a replica set and 30 for
// a pod. The name begins with the owner's name, as in Kubernetes. The replacement of a
// pod has a name of the same length.
func (w *World) name(i int) string {
	return string(w.appendName(make([]byte, 0, 40), i, 2))
}

func (w *World) appendName(b []byte, i, above int) []byte {
	owner := w.shape.owner(i)
	if owner < 0 || above == 0 {
		return digits(append(b, "app-"...), uint64(i), 9)
	}
	b = append(w.appendName(b, owner, above-1), '-')
	if w.shape.kind(i) != Pod {
		return digits(b, uint64(i), 10)
	}
	return letters(b, uint64(i)+uint64(w.lives[i])*uint64(w.n), 5)
}

// uid returns a random UUID (version 4) that the number and its life fix.
func (w *World) uid(i int) graph.UID {
	x := mix(uint64(i)<<16 | uint64(w.lives[i]))
	y := mix(x + 0x9e3779b97f4a7c15)
	x, y = x&^0xf000|0x4000, y&^(3<<62)|1<<63
	b := make([]byte, 0, 36)
	b = append(hex(b, x>>32, 8), '-')
	b = append(hex(b, x>>16, 4), '-')
	b = append(hex(b, x, 4), '-')
	b = append(hex(b, y>>48, 4), '-')
	return graph.UID(hex(b, y, 12))
}

// mix is the finish of splitmix64: a permutation of all numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func digits(b []byte, x uint64, width int) []byte { return text(b, x, width, "0123456789") }

func hex(b []byte, x uint64, width int) []byte { return text(b, x, width, "0123456789abcdef") }

func letters(b []byte, x uint64, width int) []byte {
	return text(b, x, width, "bcdfghjklmnpqrstvwxz2456789")
}

// text appends the last digits of x.
func text(b []byte, x uint64, width int, alphabet string) []byte {
	at := len(b)
	for range width {
		b = append(b, 0)
	}
	n := uint64(len(alphabet))
	for i := len(b) - 1; i >= at; i-- {
		b[i] = alphabet[x%n]
		x /= n
	}
	return b
}
