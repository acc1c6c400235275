package fault_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// judge reads a watch and checks it against the contract.
type judge struct {
	mu     sync.Mutex
	memory *memory.Store
	begun  bool // the kinds, by this run of the watch
	kinds  map[graph.Kind]*known
	dead   map[graph.UID]bool
	fences map[uint64][]graph.Object // the objects of the store when each fence began
	early  []early                   // reports of fences that no call has returned yet
	passed map[string]bool
	broken error
}

// early is a report that came before its call returned, and the reader's objects then.
type early struct {
	ev   graph.Event
	then known
}

type known struct {
	objects map[graph.Key]graph.Object // by place
	listing map[graph.Key]bool         // the objects of the listing in progress
	listed  bool
	sick    bool
	high    int
}

// begin marks the begin of a watch. The watch reports sick kinds anew, so the
// reports of the former watch do not count.
func (j *judge) begin() {
	j.begun = false
	for _, k := range j.kinds {
		k.sick, k.listing = false, nil
	}
}

func number(v graph.Version) int {
	n, _ := strconv.Atoi(string(v))
	return n
}

func (j *judge) sink(ev graph.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.take(ev); err != nil && j.broken == nil {
		j.broken = fmt.Errorf("%s: %w", word(ev), err)
	}
	return j.broken
}

func (j *judge) take(ev graph.Event) error {
	if ev.Type == graph.KindsKnown {
		j.begun = true
		return j.learn(ev.Kinds)
	}
	if ev.Type == graph.FencePassed && ev.Kind == "" {
		j.passed[fmt.Sprint(ev.Fence)] = true
		return nil
	}
	k := j.kinds[ev.Of()]
	switch {
	case !j.begun:
		return errors.New("before the kinds")
	case k == nil:
		return errors.New("of a kind that is not known")
	case k.sick && ev.Type != graph.KindSick && ev.Type != graph.KindRecovered && ev.Type != graph.KindVanished:
		return errors.New("of a sick kind")
	}
	switch ev.Type {
	case graph.KindVanished:
		delete(j.kinds, ev.Kind)
	case graph.KindSick, graph.KindRecovered:
		k.sick = ev.Type == graph.KindSick
	case graph.FencePassed:
		return j.pass(k, ev)
	}
	return j.change(k, ev)
}

func (j *judge) learn(infos []graph.KindInfo) error {
	now := map[graph.Kind]*known{}
	for _, info := range infos {
		if now[info.Kind] = j.kinds[info.Kind]; now[info.Kind] == nil {
			now[info.Kind] = &known{objects: map[graph.Key]graph.Object{}}
		}
	}
	j.kinds = now
	return nil
}

// change checks the reports of a watch about objects.
func (j *judge) change(k *known, ev graph.Event) error {
	switch ev.Type {
	case graph.ListBegun:
		k.listing = map[graph.Key]bool{}
	case graph.ListEnded:
		if k.listing == nil {
			return errors.New("nothing began")
		}
		for place, o := range k.objects {
			if !k.listing[place] {
				j.dead[o.UID] = true
				delete(k.objects, place)
			}
		}
		k.listing, k.listed = nil, true
	case graph.Put:
		o := ev.Object
		old := k.objects[o.Place()]
		if j.dead[o.UID] || number(o.Version) < number(old.Version) || k.listing == nil && number(o.Version) < k.high {
			return fmt.Errorf("version %s goes back, from %v and %d", o.Version, old, k.high)
		}
		k.objects[o.Place()] = o
		if k.listing != nil {
			k.listing[o.Place()] = true
		} else {
			k.high = number(o.Version)
		}
	case graph.Gone:
		j.dead[ev.Key.UID] = true
		if k.objects[ev.Key.Place()].UID == ev.Key.UID {
			delete(k.objects, ev.Key.Place())
		}
	}
	return nil
}

// pass checks that the watch has reported all changes that were committed before
// the fence began.
func (j *judge) pass(k *known, ev graph.Event) error {
	j.passed[fmt.Sprint(ev.Fence, ev.Kind)] = true
	if !k.listed {
		return errors.New("before the listing")
	}
	if _, ours := j.fences[ev.Fence]; !ours {
		j.early = append(j.early, early{ev, known{objects: maps.Clone(k.objects)}})
		return nil
	}
	return j.compare(k, ev)
}

// fenced notes the objects of the store when the fence began, and judges its early
// reports.
func (j *judge) fenced(token uint64, then []graph.Object) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fences[token] = then
	for _, x := range j.early {
		if err := j.compare(&x.then, x.ev); err != nil && j.broken == nil {
			j.broken = fmt.Errorf("%s: %w", word(x.ev), err)
		}
	}
	j.early = nil
}

func (j *judge) compare(k *known, ev graph.Event) error {
	for _, o := range j.fences[ev.Fence] {
		now := k.objects[o.Place()]
		live, err := j.memory.Get(context.Background(), o.Key)
		switch {
		case o.Kind != ev.Kind || err != nil || live.UID != o.UID: // it has gone since
		case now.UID != o.UID || number(now.Version) < number(o.Version):
			return fmt.Errorf("early: the reader has %v, and the store had %v", now, o)
		}
	}
	return nil
}

// trial drives a store with faults, its user and a reader.
type trial struct {
	*rig
	t      *rapid.T
	judge  *judge
	cancel context.CancelFunc
	done   chan error
}

// TestFaultsKeepTheContract runs plans of faults that keep the contract, and random
// writes of users. Each event of the watch is permitted, and reads answer
// correctly. After Calm, the reader knows all objects of the store, and fences
// pass.
func TestFaultsKeepTheContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			plan := fault.Draw(rapid.Uint64().Draw(t, "seed"))
			list := rapid.Bool().Draw(t, "list")
			store, err := memory.New(memory.Config{Kinds: []graph.KindInfo{{Kind: "x"}, {Kind: "y"}}, UIDPrefix: "u"})
			if err != nil {
				t.Fatal(err)
			}
			store.Inside(inside.Key{}).KeepLog(8)
			hidden := fault.Config{Plan: plan, Compact: func(context.Context) error { store.Inside(inside.Key{}).Compact(); return nil }}
			r := over(quietly{t: t}, store, store, hidden)
			if !list {
				r = over(quietly{t: t}, fencing{plain{store}, store}, store, hidden)
			}
			tr := &trial{rig: r, t: t, judge: &judge{
				memory: store, kinds: map[graph.Kind]*known{}, dead: map[graph.UID]bool{},
				fences: map[uint64][]graph.Object{}, passed: map[string]bool{},
			}}
			tr.connect()
			t.Repeat(map[string]func(*rapid.T){
				"user": tr.user, "user again": tr.user, "call": tr.call, "batch": tr.batch, "fence": tr.fence, "wait": tr.wait, "": tr.check,
			})
			tr.finish()
		})
	})
}

// quietly is a testing.TB over a rapid.T, as a rig needs it.
type quietly struct {
	testing.TB
	t *rapid.T
}

func (q quietly) Helper()                  {}
func (q quietly) Cleanup(f func())         { q.t.Cleanup(f) }
func (q quietly) Context() context.Context { return q.t.Context() }
func (q quietly) Fatal(args ...any)        { q.t.Fatal(args...) }

func (tr *trial) connect() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	tr.cancel, tr.done = cancel, done
	tr.judge.begin()
	go func() { done <- tr.Watch(ctx, oneByOne(tr.judge.sink)) }()
	tr.t.Cleanup(cancel)
	synctest.Wait()
}

// check fails if the contract is broken. It restarts a watch that ended.
func (tr *trial) check(t *rapid.T) {
	synctest.Wait()
	select {
	case <-tr.done:
		if tr.judge.broken != nil {
			t.Fatalf("%v; notes %q", tr.judge.broken, tr.Notes())
		}
		tr.connect()
	default:
	}
}

func (tr *trial) user(t *rapid.T) {
	name := rapid.SampledFrom([]string{"x1", "x2", "y1"}).Draw(t, "object")
	switch live := tr.has(name); {
	case !live:
		tr.create(name)
	case rapid.Bool().Draw(t, "touch"):
		tr.touch(name)
	default:
		tr.remove(name)
		if tr.has(name) { // it had a finalizer
			tr.touch(name)
		}
	}
}

func (tr *trial) call(t *rapid.T) {
	verb := rapid.SampledFrom([]string{"get", "patch", "list"}).Draw(t, "verb")
	name := rapid.SampledFrom([]string{"x1", "x2", "y1"}).Draw(t, "object")
	there := tr.has(name)
	if err := tr.rig.call(verb, name); errors.Is(err, graph.ErrNotFound) && there {
		t.Fatalf("%s %s: %v, and it is there", verb, name, err)
	}
}

// batch touches several objects by one batch. Absence is only true of absent ones.
func (tr *trial) batch(t *rapid.T) {
	names := []string{"x1", "x2", "y1"}
	var writes []graph.Write
	var there []bool
	for _, name := range names {
		writes = append(writes, graph.Write{Type: graph.WritePatch, Key: key(name), Change: graph.Change{AddFinalizer: "f"}})
		there = append(there, tr.has(name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	results, err := tr.Batch(ctx, writes)
	for i, err := range append(results, err) {
		if errors.Is(err, graph.ErrNotFound) && (i >= len(names) || there[i]) {
			t.Fatalf("batch: result %d: %v, and it is there", i, err)
		}
	}
}

func (tr *trial) fence(*rapid.T) {
	then := tr.memory.Objects()
	if err := tr.rig.call("fence", ""); err == nil {
		tr.judge.fenced(tr.token, then)
	}
}

func (tr *trial) wait(t *rapid.T) {
	<-time.After(rapid.SampledFrom([]time.Duration{time.Millisecond, 60 * time.Millisecond, time.Second}).Draw(t, "pause"))
}

// finish ends the faults, and compares the reader with the store.
func (tr *trial) finish() {
	tr.Calm()
	tr.check(tr.t)
	tr.fence(tr.t)
	<-time.After(time.Second)
	tr.check(tr.t)
	j := tr.judge
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		tr.t.Fatalf("%v; notes %q", j.broken, tr.Notes())
	}
	var got []graph.Object
	for _, kind := range []graph.Kind{"x", "y"} {
		k := j.kinds[kind]
		if k == nil || k.sick || !k.listed || !j.passed[fmt.Sprint(tr.token, kind)] || !j.passed[fmt.Sprint(tr.token)] {
			tr.t.Fatalf("kind %s after Calm: %+v, fences %v; notes %q", kind, k, j.passed, tr.Notes())
		}
		for _, o := range k.objects {
			got = append(got, o)
		}
	}
	slices.SortFunc(got, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
	if want := tr.memory.Objects(); !slices.EqualFunc(got, want, graph.Object.Equal) {
		tr.t.Fatalf("the reader knows %q, the store has %q; notes %q", graph.Format(got), graph.Format(want), tr.Notes())
	}
}
