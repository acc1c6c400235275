package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// crowd are users who write through one handle of the store, and record each call. It is safe for
// concurrent use.
type crowd struct {
	store   client
	history *judge.History
	timeout time.Duration
	// policies gives references a policy.
	policies bool
	// grace gives some foreground deletions a grace period. An agent has to end it.
	grace bool
	think int // the pause after a call is shorter, in milliseconds; 0: 20
	most  int // with so many known objects, deletions take the place of creations; 0: no bound

	mu    sync.Mutex
	names int
	known []known
	heard int // the number of objects that ever were known
}

// known is an object that a user has created.
type known struct {
	key     graph.Key
	hold    bool
	deleted graph.Propagation // of the first deletion
	heard   int               // its number among all objects that ever were known
}

// scopes are the scopes of the objects. The ends of names are hostile on purpose.
var (
	scopes   = [...]string{"a", "b/b", "c c"}
	nameEnds = [...]string{"", "", "", "'", `"`, "/x", " é", "%_", ";--", "\\"}
)

// fill creates objects, with several users at once.
func (u *crowd) fill(ctx context.Context, seed uint64, objects int) {
	const together = 4
	var all sync.WaitGroup
	for i := range together {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(10+i)))
			for range objects / together {
				u.create(ctx, rnd)
			}
		})
	}
	all.Wait()
}

// work calls the store at random until stop is closed.
func (u *crowd) work(ctx context.Context, rnd *rand.Rand, stop <-chan struct{}) {
	for {
		switch n := rnd.IntN(100); {
		case n < 40 && !u.full():
			u.create(ctx, rnd)
		case n < 60:
			u.delete(ctx, rnd)
		case n < 80:
			u.adopt(ctx, rnd)
		case n < 90:
			u.release(ctx, rnd)
		default:
			u.read(ctx, rnd)
		}
		think := time.NewTimer(time.Duration(rnd.IntN(cmp.Or(u.think, 20))) * time.Millisecond)
		select {
		case <-stop:
			think.Stop()
			return
		case <-think.C:
		}
	}
}

// call makes one call with its deadline, and records it.
func (u *crowd) call(ctx context.Context, c judge.Call, do func(context.Context) (graph.UID, error)) *judge.Call {
	ctx, cancel := context.WithTimeout(ctx, u.timeout)
	defer cancel()
	recorded := u.history.Begin(c)
	uid, err := do(ctx)
	u.history.End(recorded, uid, err)
	return recorded
}

// create makes an object with up to two owners.
func (u *crowd) create(ctx context.Context, rnd *rand.Rand) {
	o := graph.Object{Key: u.newKey(rnd)}
	for range []int{0, 1, 1, 2}[rnd.IntN(4)] {
		if owner, ok := u.pick(rnd, func(k known) bool { return mayOwn(k.key, o.Key) }); ok && !refers(o, owner.key.UID) {
			o.Owners = append(o.Owners, graph.Owner{Key: owner.key, Block: rnd.IntN(5) < 2, OnDelete: u.policyOf(owner.key)})
		}
	}
	if rnd.IntN(7) == 0 {
		o.Finalizers = append(o.Finalizers, judge.FinalizerWork)
	}
	hold := rnd.IntN(10) == 0
	if hold {
		o.Finalizers = append(o.Finalizers, judge.FinalizerHold)
	}
	payload := rnd.IntN(3) == 0
	done := u.call(ctx, judge.Call{Verb: judge.Create, Key: o.Key, Object: o, Payload: payload}, func(ctx context.Context) (graph.UID, error) {
		made, err := u.store.create(ctx, o, payload)
		return made.UID, err
	})
	if done.Outcome == judge.Done {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.hear(known{key: done.Key, hold: hold})
	}
}

// hear adds an object to the known ones. The caller has the lock.
func (u *crowd) hear(k known) {
	if !slices.ContainsFunc(u.known, func(old known) bool { return old.key == k.key }) {
		u.heard++
		k.heard = u.heard
		u.known = append(u.known, k)
	}
}

func refers(o graph.Object, uid graph.UID) bool {
	for _, r := range o.Owners {
		if r.UID == uid {
			return true
		}
	}
	return false
}

// mayOwn keeps references inside of a scope, and free of rings: the kinds are levels.
func mayOwn(owner, dependent graph.Key) bool {
	level := map[graph.Kind]int{kindTeam: 0, kindBucket: 1, kindPhoto: 2, kindNote: 3}
	return level[owner.Kind] < level[dependent.Kind] && (owner.Scope == "" || owner.Scope == dependent.Scope)
}

func (u *crowd) newKey(rnd *rand.Rand) graph.Key {
	kind := []graph.Kind{kindTeam, kindBucket, kindBucket, kindPhoto, kindPhoto, kindPhoto, kindNote, kindNote}[rnd.IntN(8)]
	scope := ""
	if kind != kindTeam {
		scope = scopes[rnd.IntN(len(scopes))]
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.names++
	return graph.Key{Kind: kind, Scope: scope, Name: fmt.Sprintf("o%d%s", u.names, nameEnds[rnd.IntN(len(nameEnds))])}
}

// pick returns a random known object of a sort, out of a few tries.
func (u *crowd) pick(rnd *rand.Rand, sort func(known) bool) (known, bool) {
	const tries = 12
	u.mu.Lock()
	defer u.mu.Unlock()
	for range tries {
		if len(u.known) == 0 {
			break
		}
		if k := u.known[rnd.IntN(len(u.known))]; sort(k) {
			return k, true
		}
	}
	return known{}, false
}

// delete deletes an object. A second deletion of it has the same propagation, so that an
// owner that waits never stops waiting.
func (u *crowd) delete(ctx context.Context, rnd *rand.Rand) {
	k, ok := u.pick(rnd, func(k known) bool { return k.key.Kind != kindNote || rnd.IntN(3) == 0 })
	if !ok {
		return
	}
	u.deleteOne(ctx, k.key, u.propagation(rnd, k.key))
}

// propagation draws the propagation of an object's first deletion, and keeps it.
func (u *crowd) propagation(rnd *rand.Rand, key graph.Key) graph.Propagation {
	p := []graph.Propagation{graph.Background, graph.Background, graph.Foreground, graph.Foreground, graph.Orphan}[rnd.IntN(5)]
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.IndexFunc(u.known, func(k known) bool { return k.key == key })
	if i < 0 {
		return p // it is gone
	}
	if u.known[i].deleted == graph.Unset {
		u.known[i].deleted = p
	}
	return u.known[i].deleted
}

func (u *crowd) deleteOne(ctx context.Context, key graph.Key, p graph.Propagation) {
	opts := graph.DeleteOptions{Propagation: p, Precondition: graph.Precondition{UID: key.UID}}
	if u.grace && p == graph.Foreground && sumOf(key)%2 == 0 {
		seconds := int64(30)
		opts.GraceSeconds = &seconds
	}
	u.call(ctx, judge.Call{Verb: judge.Delete, Key: key, Propagation: p}, func(ctx context.Context) (graph.UID, error) {
		return "", u.store.Delete(ctx, key, opts)
	})
}

// sumOf draws a number from a name.
func sumOf(key graph.Key) (sum int) {
	for _, b := range []byte(key.Name) {
		sum += int(b)
	}
	return sum
}

// burst deletes several roots, so that the faults meet long cascades.
func (u *crowd) burst(ctx context.Context, rnd *rand.Rand) {
	for range 6 {
		if k, ok := u.pick(rnd, func(k known) bool { return k.key.Kind == kindTeam }); ok {
			u.deleteOne(ctx, k.key, u.propagation(rnd, k.key))
		}
	}
}

// adopt adds a reference.
func (u *crowd) adopt(ctx context.Context, rnd *rand.Rand) {
	k, ok := u.pick(rnd, func(k known) bool { return k.key.Kind != kindTeam })
	if !ok {
		return
	}
	owner, ok := u.pick(rnd, func(o known) bool { return mayOwn(o.key, k.key) })
	if !ok {
		return
	}
	r := graph.Owner{Key: owner.key, Block: rnd.IntN(3) == 0, OnDelete: u.policyOf(owner.key)}
	u.call(ctx, judge.Call{Verb: judge.Adopt, Key: k.key, Owner: r}, func(ctx context.Context) (graph.UID, error) {
		return "", u.store.Patch(ctx, k.key, graph.Precondition{UID: k.key.UID}, graph.Change{AddOwner: &r})
	})
}

// policyOf returns the policy of all references to an owner. So no object has two of them for one owner.
func (u *crowd) policyOf(owner graph.Key) graph.OnDelete {
	if !u.policies {
		return graph.OnDeleteUnset
	}
	return graph.OnDelete(max(0, sumOf(owner)%7-3)) // four in seven are unset
}

// release removes the finalizer of the users.
func (u *crowd) release(ctx context.Context, rnd *rand.Rand) {
	if k, ok := u.pick(rnd, func(k known) bool { return k.hold }); ok {
		u.releaseOne(ctx, k.key)
	}
}

func (u *crowd) releaseOne(ctx context.Context, key graph.Key) {
	u.call(ctx, judge.Call{Verb: judge.Release, Key: key}, func(ctx context.Context) (graph.UID, error) {
		return "", u.store.Patch(ctx, key, graph.Precondition{UID: key.UID}, graph.Change{DropFinalizer: judge.FinalizerHold})
	})
}

func (u *crowd) read(ctx context.Context, rnd *rand.Rand) {
	if k, ok := u.pick(rnd, func(known) bool { return true }); ok {
		u.call(ctx, judge.Call{Verb: judge.Read, Key: k.key}, func(ctx context.Context) (graph.UID, error) {
			o, err := u.store.Get(ctx, k.key)
			return o.UID, err
		})
	}
}
