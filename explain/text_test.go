package explain_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

var (
	pod        = graph.Key{Kind: "Pod", Scope: "shop", Name: "web-x", UID: "p"}
	set        = graph.Key{Kind: "apps/ReplicaSet", Scope: "shop", Name: "web-7bf", UID: "r"}
	deployment = graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "web", UID: "d"}
)

// text is a case of a golden file.
type text struct {
	x      explain.Explanation
	reason string
}

// checkTexts compares the text of each case with a golden file.
func checkTexts(t *testing.T, file string, cases []text) {
	t.Helper()
	var got strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&got, "# %s\n%s\n", c.reason, c.x.Text())
	}
	file = "testdata/" + file
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// waits returns the explanation of the pod with one condition of its own.
func waits(a policy.Action, r policy.Reason, c explain.Condition) explain.Explanation {
	c.Key, c.Reason = pod, r
	return explain.Explanation{Key: pod, State: explain.Exists, Decision: explain.Decision{Action: a, Reason: r}, Wait: []explain.Condition{c}}
}

// marked gives the explained object a deletion mark.
func marked(x explain.Explanation) explain.Explanation {
	x.Deleting = true
	return x
}

// barred gives the decision a reason for which no write goes out.
func barred(x explain.Explanation, d explain.Decision) explain.Explanation {
	d.Barred = x.Decision.Reason
	x.Decision = d
	return x
}

// TestTextOfEnds: the text names the actor of each end, the times and the remedy.
func TestTextOfEnds(t *testing.T) {
	hour := noon.Add(time.Hour)
	drain := explain.Condition{End: explain.Controller, Actor: "example.org/drain", Since: noon}
	failing := explain.Condition{End: explain.Handler, Actor: "example.org/drain", Since: noon, Next: hour, Tries: 3, Text: "busy"}
	observes := waits(policy.Delete, policy.ObserveOnly, explain.Condition{End: explain.Writer, Actor: "the collector of the store"})
	observes.Owners = []explain.Owner{{Owner: graph.Owner{Key: set}, Class: explain.Dangling, Evidence: explain.ReadFoundNothing}}
	paused := waits(policy.Delete, policy.Paused, explain.Condition{End: explain.User, Text: "everything", Since: noon})
	paused.Owners = observes.Owners
	foreign := waits(policy.Delete, policy.OtherShare, explain.Condition{End: explain.Writer, Actor: "the collector of its share"})
	foreign.Owners = observes.Owners
	garbage := explain.Decision{Action: policy.Delete, Reason: policy.OwnersGone}
	two := marked(waits(policy.Keep, policy.NeedFinalizers, drain))
	two.Wait = append(two.Wait, two.Wait[0])
	two.Wait[1].Actor = "example.org/backup"
	chain := explain.Explanation{
		Key: deployment, State: explain.Exists, Deleting: true, Decision: explain.Decision{Action: policy.Wait, Reason: policy.NeedDependents},
		Wait: []explain.Condition{
			{Key: pod, Reason: policy.NeedFinalizers, End: explain.Controller, Actor: "example.org/drain", Since: noon},
			{Key: set, Reason: policy.NeedDependents, For: []explain.Condition{
				{Key: deployment, Reason: policy.NeedDependents, End: explain.Ring, Ring: []graph.Key{deployment, set}, Actor: "this engine"},
			}},
		}, Cut: 3,
	}
	rings := waits(policy.Keep, policy.OwnedInRing, explain.Condition{End: explain.Ring, Ring: []graph.Key{pod, set}})
	rings.Wait[0].Key = set
	checkTexts(t, "ends.golden", []text{
		{waits(policy.Keep, policy.NoOwners, explain.Condition{End: explain.User}), "a user: nothing has to happen"},
		{waits(policy.Keep, policy.ObjectFlawed, explain.Condition{End: explain.User, Text: "owners: 2 controllers"}), "a user: the object is flawed"},
		{waits(policy.Wait, policy.Braked, explain.Condition{End: explain.User, Text: `cascade "apps/Deployment"/shop/web@d: 300 objects, more than 100`}), "a user: the brake holds the cascade"},
		{barred(paused, garbage), "a user: the engine is paused"},
		{marked(waits(policy.Keep, policy.NeedFinalizers, drain)), "a controller"},
		{two, "two controllers"},
		{marked(waits(policy.Keep, policy.HandlerFailed, failing)), "a handler that fails"},
		{marked(waits(policy.Keep, policy.HandlerRuns, explain.Condition{End: explain.Handler, Actor: "example.org/drain"})), "a handler at work"},
		{marked(waits(policy.Wait, policy.FenceHeld, explain.Condition{End: explain.Kind, Actor: "apps/Deployment", Text: "the server is down", Since: noon})), "a kind"},
		{waits(policy.Delete, policy.StoreRefused, explain.Condition{End: explain.Store, Text: "webhook gate.example.com denies it"}), "the store: it refuses a write"},
		{marked(waits(policy.Wait, policy.FenceFails, explain.Condition{End: explain.Store, Actor: "the store begins no fence", Text: "no route to host", Since: noon, Next: hour, Tries: 3})), "the store: it fails"},
		{marked(waits(policy.Keep, policy.NeedGrace, explain.Condition{End: explain.Store, Actor: "it has to remove the object, or the agent of the object has to end it", Since: noon, Next: hour})), "the store: the period is over"},
		{marked(waits(policy.Keep, policy.NeedGrace, explain.Condition{End: explain.Time, Actor: "the grace period", Since: noon, Next: hour})), "a time"},
		{marked(waits(policy.Wait, policy.NeedFence, explain.Condition{End: explain.Work, Actor: "a fence", Since: noon})), "the work of this engine"},
		{barred(observes, garbage), "a writer: the explaining engine only observes, as on a dump"},
		{barred(foreign, garbage), "a writer: the object is in the share of another collector"},
		{waits(policy.Delete, policy.WriteUndone, explain.Condition{End: explain.Writer, Actor: "the writer that undoes the write", Tries: 3, Next: hour}), "a writer that undoes"},
		{waits(policy.Keep, policy.NoOwners, explain.Condition{End: explain.Writer, Actor: "the namespace controller", Text: "Namespace/shop@n"}), "a writer: the actor of a container"},
		{waits(policy.Keep, policy.OnlySelf, explain.Condition{End: explain.Ring, Ring: []graph.Key{pod}}), "a ring of one object"},
		{rings, "a ring of two objects"},
		{chain, "a chain with a ring that the engine breaks, a finalizer and a cut"},
		{marked(waits(policy.Wait, policy.NeedDependents, explain.Condition{End: explain.Cut})), "the bound of the chain"},
	})
}

// TestTextOfActions: the text has a verb for each action, with and without a deletion mark.
func TestTextOfActions(t *testing.T) {
	var cases []text
	for _, c := range []struct {
		action   policy.Action
		reason   policy.Reason
		deleting bool
		why      string
	}{
		{policy.ActionUnset, policy.ReasonUnset, false, "no decision"},
		{policy.Keep, policy.Protected, false, "keep"},
		{policy.Keep, policy.DeletionRefused, true, "keep a marked object"},
		{policy.Wait, policy.NeedListing, false, "wait"},
		{policy.Wait, policy.NeedVerdict, true, "wait with a mark"},
		{policy.Verify, policy.NeedOwner, false, "verify"},
		{policy.Trim, policy.DanglingBesideSolid, false, "trim"},
		{policy.Orphan, policy.OwnerOrphans, false, "orphan"},
		{policy.Unblock, policy.RingConfirmed, true, "unblock"},
		{policy.Delete, policy.HolderDeleted, false, "delete"},
		{policy.Release, policy.DependentsGone, true, "release"},
		{policy.Attach, policy.HolderSeen, false, "attach"},
	} {
		x := waits(c.action, c.reason, explain.Condition{End: explain.Work, Actor: "its turn in the queue"})
		x.Deleting = c.deleting
		if c.action == policy.Release || c.action == policy.Attach {
			x.Decision.Finalizer = "example.org/sweep"
		}
		cases = append(cases, text{x, c.why})
	}
	checkTexts(t, "actions.golden", cases)
}

// kept returns the explanation of the pod that an owner keeps for a doubt.
func kept(d graph.Doubt, elsewhere graph.Key) explain.Explanation {
	return explain.Explanation{
		Key: pod, State: explain.Exists, Decision: explain.Decision{Action: policy.Keep, Reason: policy.OwnerUnknown, Doubt: d},
		Owners: []explain.Owner{{Owner: graph.Owner{Key: deployment}, Class: explain.Unknown, Doubt: d, Elsewhere: elsewhere}},
		Wait:   []explain.Condition{{Key: deployment, Reason: policy.OwnerUnknown, Doubt: d, End: explain.User}},
	}
}

// TestTextOfStates: the text tells the states of objects and the classes of owners apart. It names
// the object that a wrong reference may mean.
func TestTextOfStates(t *testing.T) {
	owner := func(k graph.Key, c explain.Class, e explain.Evidence) explain.Owner {
		return explain.Owner{Owner: graph.Owner{Key: k, Block: true, Controller: true}, Class: c, Evidence: e, At: noon}
	}
	solid := explain.Explanation{
		Key: pod, State: explain.Exists, Decision: explain.Decision{Action: policy.Keep, Reason: policy.OwnerSolid},
		Owners: []explain.Owner{owner(set, explain.Solid, explain.WatchSaw)},
		Wait: []explain.Condition{{Key: set, Reason: policy.OwnerSolid, For: []explain.Condition{
			{Key: deployment, Reason: policy.NoOwners, End: explain.User}}}},
	}
	lost := func(r policy.Reason, owners ...explain.Owner) explain.Explanation {
		x := waits(policy.Delete, r, explain.Condition{End: explain.Work, Actor: "its turn in the queue"})
		x.Owners = owners
		return x
	}
	self := explain.Owner{Owner: graph.Owner{Key: pod}, Self: true}
	store, cart := deployment, deployment
	store.Scope, cart.Name = "store", "cart"
	cases := []text{
		{explain.Explanation{Key: pod}, "no state"},
		{explain.Explanation{Key: pod, State: explain.Referred, Decision: explain.Decision{Reason: policy.OwnerUnknown, Doubt: graph.Unobserved}}, "only a reference names it"},
		{explain.Explanation{Key: pod, State: explain.Gone, Changed: noon}, "gone"},
		{solid, "an owner keeps it"},
		{lost(policy.OwnersGone, owner(set, explain.Dangling, explain.WatchSawGo)), "the only owner is gone"},
		{lost(policy.OwnersGone, owner(set, explain.Dangling, explain.ReadFoundNothing), owner(deployment, explain.Dangling, explain.Listed), self), "both owners are gone, and a reference leads to itself"},
		{lost(policy.OwnersWaiting, owner(set, explain.Waiting, explain.FencePassed)), "the only owner waits"},
		{lost(policy.OwnersWaiting, owner(set, explain.Waiting, explain.ReadFound), owner(deployment, explain.Dangling, explain.WatchSawGo)), "one is gone, the other waits"},
		{lost(policy.OwnerOrphans, owner(set, explain.Orphaning, explain.WatchSaw)), "an owner leaves it"},
		{kept(graph.Misplaced, store), "an owner in another scope: its place is named"},
		{kept(graph.Renamed, cart), "an owner of another name: it is named"},
	}
	for d := graph.Unobserved; d <= graph.Renamed; d++ {
		cases = append(cases, text{kept(d, graph.Key{}), "the doubt " + d.Code()})
	}
	checkTexts(t, "states.golden", cases)
}

// TestWide: the wide text has the UIDs and the flags of references. The other one has neither.
func TestWide(t *testing.T) {
	x := full()
	for _, c := range []struct {
		text string
		has  bool
	}{{x.Text(), false}, {x.Wide(), true}} {
		for _, want := range []string{"Pod/shop/a (UID 2)", "(its controller; the object blocks its foreground deletion; its scope is not resolved; "} {
			if strings.Contains(c.text, want) != c.has {
				t.Errorf("has %q is %t, want %t:\n%s", want, !c.has, c.has, c.text)
			}
		}
	}
}

// TestTextControlsNoTerminal: no text of an object reaches the terminal as a control character.
func TestTextControlsNoTerminal(t *testing.T) {
	const bad = "a\x1b[2J\u202eb"
	k := graph.Key{Kind: bad, Scope: bad, Name: bad, UID: bad}
	x := full()
	x.Key, x.Decision.Finalizer, x.SweepsInScope = k, bad, []string{bad}
	x.Owners[0].Key, x.Owners[0].Elsewhere, x.Owners[0].Self = k, k, false
	x.Wait[0].For[0].Actor, x.Wait[0].For[0].Text = bad, bad
	x.Deletion.Object.Finalizers, x.Deletion.Object.Version = []string{bad}, bad
	for e := explain.User; e <= explain.Cut; e++ {
		x.Wait[0].For[1].End, x.Wait[0].For[1].Actor, x.Wait[0].For[1].Text = e, bad, bad+" "+k.String()
		for _, text := range []string{x.Text(), x.Wide(), x.Sentence()} {
			if i := strings.IndexFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("end %s: a character of %q is not printable", e, text)
			}
		}
	}
}

// TestActorsOnce: an actor with the same work on several objects has one mention.
func TestActorsOnce(t *testing.T) {
	x := explain.Explanation{Key: deployment, State: explain.Exists, Deleting: true, Decision: explain.Decision{Action: policy.Wait, Reason: policy.NeedDependents}}
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "a"} {
		c := explain.Condition{Key: graph.Key{Kind: "Pod", Scope: "shop", Name: name, UID: graph.UID(name)}, Reason: policy.NeedFinalizers, End: explain.Controller, Actor: "example.org/drain"}
		if i == 1 {
			c.Actor = "example.org/backup"
		}
		x.Wait = append(x.Wait, c)
	}
	const want = "Who has to act: the controller of the finalizer example.org/drain, for Pod/shop/a, Pod/shop/c, Pod/shop/d, Pod/shop/e and Pod/shop/f; " +
		"the controller of the finalizer example.org/backup, for Pod/shop/b."
	if got := x.Sentence(); !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
