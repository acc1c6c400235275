package linear

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

var errLost = errors.New("connection lost")

// about returns a call about node/n, with its precondition: "", a UID, or a UID and
// a version with # between them.
func about(v verb, pre string, err error) call {
	uid, version, _ := strings.Cut(pre, "#")
	c := call{step: step{verb: v, place: graph.Key{Kind: "node", Name: "n"}}, err: err}
	c.pre = graph.Precondition{UID: graph.UID(uid), Version: graph.Version(version)}
	c.options = graph.DeleteOptions{Propagation: graph.Background, GraceSeconds: new(int64), Precondition: c.pre}
	return c
}

func parse(text string) graph.Object {
	o, err := graph.ParseObject(text)
	if err != nil {
		panic(err)
	}
	return o
}

func reads(object string) call {
	c := about(get, "", nil)
	c.got = parse(object)
	return c
}

func readsNothing() call { return about(get, "", graph.ErrNotFound) }

// creates is a creation that was answered with the object, or by err.
func creates(object string, err error) call {
	c := about(create, "", err)
	c.sent = parse(object)
	if err == nil {
		c.got = c.sent.Clone()
	}
	c.sent.UID, c.sent.Version = "", ""
	return c
}

func updates(pre, to string, err error) call {
	c := about(update, pre, err)
	c.sent, c.got = parse(to), parse(to)
	return c
}

func drops(pre, finalizer string, err error) call {
	c := about(patch, pre, err)
	c.change.DropFinalizer = finalizer
	return c
}

// swaps removes a finalizer and adds it again in one step.
func swaps(finalizer string) call {
	c := drops("", finalizer, nil)
	c.change.AddFinalizer = finalizer
	return c
}

func deletes(pre string, err error) call { return about(erase, pre, err) }

// TestJudge checks which histories of one object are linearizable. The calls follow
// each other. A call of unknown outcome may still happen later.
func TestJudge(t *testing.T) {
	const made = "node/n@u1#1[f]"
	for _, tc := range []struct {
		calls  history
		ok     bool
		reason string
	}{
		{history{creates(made, nil), reads(made)}, true, "a read of the written object"},
		{history{creates(made, nil), readsNothing()}, false, "a read that is too old"},
		{history{reads(made)}, false, "no client has created it"},
		{history{creates(made, nil), reads("node/n@u1#1")}, false, "a finalizer lost"},
		{history{creates(made, nil), reads("node/n@u2#1[f]")}, false, "another UID"},
		{history{creates(made, nil), reads("node/n@u1#2[f]")}, false, "another version without a change"},
		{history{creates(made, errLost), reads(made)}, true, "an unknown creation has happened"},
		{history{creates(made, errLost), readsNothing(), reads(made)}, true, "or happens later"},
		{history{creates(made, errLost), reads(made), readsNothing()}, false, "and cannot be undone"},
		{history{creates(made, errLost), reads(made), reads("node/n@u9#1[f]")}, false, "nor show two UIDs"},
		{history{creates(made, nil), creates(made, graph.ErrConflict)}, true, "the place is taken"},
		{history{creates(made, graph.ErrConflict)}, false, "the place is free"},
		{history{creates(made, nil), creates("node/n@u2#2", nil)}, false, "two objects at one place"},
		{history{creates(made, nil), drops("u1#1", "f", nil), reads("node/n@u1#2")}, true, "a new state, a new version"},
		{history{creates(made, nil), drops("u1#1", "f", nil), reads("node/n@u1#1")}, false, "two states with one version"},
		{history{creates(made, nil), drops("u1#1", "f", nil), drops("u1#1", "g", nil)}, false, "an old version precondition held"},
		{history{creates(made, nil), drops("u2", "f", nil)}, false, "a wrong UID precondition was met"},
		{history{creates(made, nil), drops("u1#1", "f", graph.ErrConflict)}, false, "the precondition is met"},
		{history{creates(made, nil), drops("u1#1", "f", errLost), drops("u1#1", "f", graph.ErrConflict)}, true, "unless an unknown write was first"},
		{history{creates(made, nil), drops("", "f", graph.ErrConflict)}, false, "nothing was demanded"},
		{history{creates(made, nil), drops("u1#1", "x", nil), reads(made)}, true, "no change, no version"},
		{history{creates(made, nil), drops("u1#1", "x", nil), reads("node/n@u1#2[f]")}, true, "no change, and a version"},
		{history{creates("node/n@u1#1[g,f]", nil), swaps("f"), reads("node/n@u1#1[g,f]")}, true, "taken off and put on: no change"},
		{history{creates("node/n@u1#1[f,g]", nil), swaps("f"), reads("node/n@u1#2[g,f]")}, true, "or one of the order"},
		{history{creates(made, nil), drops("", "f", graph.ErrRefused), reads(made)}, true, "a store may refuse"},
		{history{creates(made, nil), drops("", "f", graph.ErrRefused), reads("node/n@u1#2")}, false, "not after it has written"},
		{history{creates(made, nil), about(get, "", graph.ErrKindUnknown)}, true, "the error proves nothing about the object"},
		{history{creates(made, nil), deletes("u1", nil), reads("node/n@u1#2~[f]")}, true, "marked, held by its finalizer"},
		{history{creates(made, nil), deletes("u1", nil), readsNothing()}, false, "removed under its finalizer"},
		{history{creates(made, nil), deletes("u1", nil), drops("", "f", nil), readsNothing()}, true, "the last finalizer removes"},
		{history{creates(made, nil), deletes("u1", nil), drops("", "f", nil), reads("node/n@u1#3~")}, false, "the last finalizer has to remove"},
		{history{creates("node/n@u1#1", nil), deletes("u1", nil), reads("node/n@u1#2~")}, false, "nothing holds it"},
		{history{creates("node/n@u1#1", nil), deletes("u1", nil), deletes("", graph.ErrNotFound)}, true, "gone is gone"},
		{history{creates("node/n@u1#1", nil), deletes("", graph.ErrNotFound)}, false, "it is there"},
		{history{deletes("u1", graph.ErrConflict)}, false, "it is not there: no conflict"},
		{history{creates("node/n@u1#1", nil), deletes("", nil), creates("node/n@u2#1", nil)}, true, "another incarnation may have the version"},
		{history{creates("node/n@u1#1", nil), deletes("", nil), creates("node/n@u1#3", nil)}, false, "a UID that is back"},
		{history{creates(made, nil), updates("u1#1", "node/n@u1#2", nil), reads("node/n@u1#2")}, true, "an update shows its version"},
		{history{creates(made, nil), updates("u1#1", "node/n@u1#1", nil)}, false, "which is a new one"},
		{history{creates(made, nil), deletes("", nil), updates("u1#2", "node/n@u1#2~", nil)}, false, "no update under a version that was not shown"},
		{history{creates(made, nil), deletes("", nil), reads("node/n@u1#2~[f]"), updates("u1#2", "node/n@u1#2~", nil), readsNothing()}, true,
			"an update that removes returns the last state"},
		{history{updates("u1#1", made, graph.ErrConflict)}, true, "nothing to update: a conflict"},
		{history{updates("u1#1", made, graph.ErrNotFound)}, true, "or not found"},
	} {
		for i := range tc.calls {
			tc.calls[i].begun, tc.calls[i].ended = int64(2*i+1), int64(2*i+2)
		}
		if got := tc.calls.judge(); (got == porcupine.Ok) != tc.ok {
			t.Errorf("judged %s, want it accepted: %t: %s\n%s", got, tc.ok, tc.reason, tc.calls)
		}
		if tc.ok {
			continue
		}
		if short := tc.calls.shrink(); short.judge() != porcupine.Illegal || len(short) > len(tc.calls) {
			t.Errorf("shrunk to a history that proves nothing: %s\n%s", tc.reason, short)
		}
	}
}

// lossy fails at random: before a write, after it, or with the write still to come.
// A network may fail like that, and the store is not broken.
type lossy struct {
	*memory.Store
	late *sync.WaitGroup
}

func (s lossy) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, c graph.Change) error {
	switch rand.IntN(4) {
	case 0:
		return errLost
	case 1:
		if err := s.Store.Patch(ctx, key, pre, c); err != nil {
			return err
		}
		return errLost
	case 2:
		c := clone(c)
		s.late.Go(func() { _ = s.Store.Patch(context.WithoutCancel(ctx), key, pre, c) })
		return errLost
	}
	return s.Store.Patch(ctx, key, pre, c)
}

// TestUnknownOutcomes checks that an unknown outcome never fails a store.
func TestUnknownOutcomes(t *testing.T) {
	var late sync.WaitGroup
	Test(t, subjects(func(s *memory.Store) store { return lossy{s, &late} }))
	late.Wait()
}
