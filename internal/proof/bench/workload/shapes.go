package workload

import (
	"math/rand/v2"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	treeSize  = 34 // a deployment, 3 replica sets, 30 pods
	perScope  = 40 // trees in one scope
	firstPod  = 4
	podsPerRS = 10
)

// Trees returns n objects in trees of 1 : 3 : 30 (deployment, replica sets, pods),
// owners first. The last tree may be cut short.
func Trees(n int) *World { return newWorld(n, trees{}) }

// Star returns one replica set and n pods that it owns, whose references block.
func Star(n int) *World { return newWorld(n+1, star{}) }

// Chain returns n replica sets, each owned by the one before.
func Chain(n int) *World { return newWorld(n, chain{}) }

// Roots returns the numbers of the objects without an owner, in order.
func (w *World) Roots() []int {
	var out []int
	for i := range w.n {
		if w.shape.owner(i) < 0 {
			out = append(out, i)
		}
	}
	return out
}

// Leaves returns the numbers of the pods, in order.
func (w *World) Leaves() []int {
	var out []int
	for i := range w.n {
		if w.shape.kind(i) == Pod {
			out = append(out, i)
		}
	}
	return out
}

// Shuffled returns the numbers 0 to n-1 in an order that the seed fixes.
func Shuffled(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 1)).Perm(n) }

type trees struct{}

func (trees) kind(i int) graph.Kind {
	switch r := i % treeSize; {
	case r == 0:
		return Deployment
	case r < firstPod:
		return ReplicaSet
	}
	return Pod
}

func (trees) owner(i int) int {
	t, r := i/treeSize*treeSize, i%treeSize
	switch {
	case r == 0:
		return -1
	case r < firstPod:
		return t
	}
	return t + 1 + (r-firstPod)/podsPerRS
}

func (trees) scope(i int) int { return i / treeSize / perScope }

func (trees) blocks() bool { return true }

type star struct{}

func (star) kind(i int) graph.Kind {
	if i == 0 {
		return ReplicaSet
	}
	return Pod
}

func (star) owner(i int) int {
	if i == 0 {
		return -1
	}
	return 0
}

func (star) scope(int) int { return 0 }

func (star) blocks() bool { return true }

type chain struct{}

func (chain) kind(int) graph.Kind { return ReplicaSet }

func (chain) owner(i int) int { return i - 1 }

func (chain) scope(int) int { return 0 }

func (chain) blocks() bool { return true }
