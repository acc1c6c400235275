package offline

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// cluster is the recorded cluster of the quickstart, with faults that this test adds.
func cluster(t *testing.T) Content {
	t.Helper()
	c, err := dump.ReadFile("../../examples/quickstart/cluster.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	return Content{Kinds: c.Kinds, Objects: c.Objects, Level: ownergraph.Level2}
}

// parse reads objects in the notation of package graph.
func parse(t *testing.T, text string) Content {
	t.Helper()
	objects, err := graph.Parse(strings.Join(strings.Fields(text), " "))
	if err != nil {
		t.Fatal(err)
	}
	c := Content{Objects: objects, Level: ownergraph.Level2}
	for _, o := range objects {
		info := graph.KindInfo{Kind: o.Kind, Scoped: o.Scope != ""}
		if !slices.Contains(c.Kinds, info) {
			c.Kinds = append(c.Kinds, info)
		}
	}
	return c
}

const faulty = `
	node/n#1; pod/s/a#1 -> set/s/gone; pod/s/b#1 -> set/s/gone, node/n; pod/s/e#1 -> pod/s/e; pod/s/f#1 -> set/t/o@o; set/t/o@o#1;
	pod/t/g#1 -> set/t/p@o; pod/t/h#1 -> pod/t/o@o; node/m#1 -> pod/s/a; pod/r/a#1 -> pod/r/b!; pod/r/b#1 -> pod/r/a!;
	pod/q/a#1~[foreground] -> pod/q/b!; pod/q/b#1 -> pod/q/a!; pod/p/a#1~[f]; pod/p/b#1 -> pod/p/a!; pod/o/a#1~[foreground];
	pod/o/b#1~[f] -> pod/o/a!; set/n/a#1; pod/n/b#1 -> set/n/a@former; pod/n/c#1 -> set/n/a@u?; pod/n/f#1 -> set/n/a^, node/n^;
	pod/m/a#1~[orphan]; pod/m/b#1 -> pod/m/a; pod/m/c#1 -> pod/m/b, set/m/gone`

// timeless returns an explanation without its instants, which differ between runs. The source
// of the knowledge of a living owner differs, too: a read for another object may bring it.
func timeless(x explain.Explanation) explain.Explanation {
	x.Look, x.Changed = time.Time{}, time.Time{}
	for i := range x.Owners {
		x.Owners[i].At = time.Time{}
		if c := x.Owners[i].Class; c == explain.Solid || c == explain.Waiting {
			x.Owners[i].Evidence = explain.EvidenceUnset
		}
	}
	timelessConditions(x.Wait)
	return x
}

func timelessConditions(list []explain.Condition) {
	for i := range list {
		list[i].Since, list[i].Next = time.Time{}, time.Time{}
		timelessConditions(list[i].For)
	}
}

// TestNearAnswersAlike: the plan of each object is the same on the near part as on the whole
// content, and so is its explanation on the part behind it.
func TestNearAnswersAlike(t *testing.T) {
	partial := parse(t, faulty)
	partial.Partial = map[graph.Kind]string{"set": "forbidden"}
	for _, c := range []struct {
		content Content
		reason  string
	}{
		{cluster(t), "the objects of a real cluster"},
		{parse(t, faulty), "objects with most faults"},
		{partial, "a kind that is not dumped in full"},
	} {
		var keys []graph.Key
		for _, o := range c.content.Objects {
			keys = append(keys, o.Key)
		}
		want, err := c.content.Explain(t.Context(), keys...)
		if err != nil {
			t.Fatal(err)
		}
		index := c.content.Index()
		for i, k := range keys {
			near := index.Near(k)
			if len(near.Objects) == len(keys) {
				t.Errorf("%s: the near part is the whole", k)
			}
			behind := index.Behind(k)
			if len(behind.Objects) > len(near.Objects) {
				t.Errorf("%s: the part behind it is larger than the near part", k)
			}
			got, err := behind.Explain(t.Context(), k)
			if err != nil {
				t.Fatalf("%s: %v", k, err)
			}
			if diff := cmp.Diff(timeless(want[i]), timeless(got[0])); diff != "" {
				t.Errorf("%s: %s (-whole +behind):\n%s", k, c.reason, diff)
			}
			req := plan.Request{Delete: []plan.Target{{Key: k, Propagation: graph.Foreground}}}
			checkPlans(t, c.content, near, req)
		}
	}
}

func checkPlans(t *testing.T, whole, near Content, req plan.Request) {
	t.Helper()
	a, err := whole.Plan(t.Context(), ownergraph.Config{}, req)
	if err != nil {
		t.Fatal(err)
	}
	b, err := near.Plan(t.Context(), ownergraph.Config{}, req)
	if err != nil {
		t.Fatal(err)
	}
	if a.Fingerprint != b.Fingerprint {
		t.Errorf("delete %s: other fingerprints\n%s\n%s", req.Delete[0].Key, a.Text(), b.Text())
	}
	for i := range b.Objects {
		if !slices.ContainsFunc(a.Objects, func(o plan.Object) bool {
			return cmp.Equal(o.Key, b.Objects[i].Key) && o.Outcome == b.Objects[i].Outcome
		}) {
			t.Errorf("delete %s: %s ends otherwise\n%s\n%s", req.Delete[0].Key, b.Objects[i].Key, a.Text(), b.Text())
		}
	}
}

// TestDuplicateUIDs: one object under two kinds is explained and planned, and the kind that loses it
// proves nothing.
func TestDuplicateUIDs(t *testing.T) {
	c := parse(t, `old/s/a@u#1; new/s/a@u#1; pod/s/b#1 -> old/s/a@u; pod/s/c#1 -> old/s/gone; pod/s/d#1 -> new/s/gone`)
	list, err := c.Explain(t.Context(), c.Objects[2].Key, c.Objects[3].Key, c.Objects[4].Key)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []explain.Class{explain.Unknown, explain.Unknown, explain.Dangling} {
		if got := list[i].Owners[0].Class; got != want {
			t.Errorf("%s: the owner is %s, want %s", list[i].Key, got, want)
		}
	}
	if _, err := c.Plan(t.Context(), ownergraph.Config{}, plan.Request{Delete: []plan.Target{{Key: c.Objects[1].Key, Propagation: graph.Background}}}); err != nil {
		t.Error(err)
	}
	if len(c.Objects) != 5 || c.Partial != nil {
		t.Error("the content has changed")
	}
}

// TestMissing: an owner is missing if its kind is dumped in full.
func TestMissing(t *testing.T) {
	c := parse(t, `set/s/a#1; old/s/a#1; pod/s/a#1 -> set/s/a; pod/s/b#1 -> set/s/gone, set/s/gone@other; pod/s/c#1 -> old/s/gone; pod/s/d#1 -> set/s/x@u?`)
	c.Partial = map[graph.Kind]string{"old": "forbidden"}
	if got := c.Missing(); len(got) != 1 || got[0] != (graph.Key{Kind: "set", Scope: "s", Name: "gone"}) {
		t.Errorf("missing: %v", got)
	}
}

// TestBelow: the objects below an object count by UID, also in a ring.
func TestBelow(t *testing.T) {
	c := parse(t, `set/s/a#1 -> node/n; node/n#1; pod/s/a#1 -> set/s/a; pod/t/b#1 -> set/t/x; pod/s/c#1 -> pod/s/a, pod/s/d; pod/s/d#1 -> pod/s/c; pod/s/e#1`)
	c.Objects[3].Owners[0].UID = c.Objects[0].UID
	var names []string
	for _, o := range c.Index().Below(c.Objects[0].Key) {
		names = append(names, o.Name)
	}
	if got := strings.Join(names, " "); got != "a a b c d" {
		t.Errorf("below: %s", got)
	}
	names = nil
	for _, o := range c.Index().Lineage(c.Objects[2].Key) {
		names = append(names, string(o.Kind)+o.Name)
	}
	if got := strings.Join(names, " "); got != "seta noden poda podc podd" {
		t.Errorf("lineage: %s", got)
	}
}

var seed = flag.Uint64("seed", 0, "the seed of the random contents; 0 takes a random one")

// TestBehindOfRandomContents: the explanation of each object of a random content is the same
// on the part behind it.
func TestBehindOfRandomContents(t *testing.T) {
	first := *seed
	if first == 0 {
		first = rand.Uint64()
		if fixed, err := strconv.ParseUint(os.Getenv("RAPID_SEED"), 10, 64); err == nil && fixed > 0 {
			first = fixed // CI runs the same contents each time
		}
	}
	t.Logf("-seed %d", first)
	r := rand.New(rand.NewPCG(first, 0))
	for range 15 {
		c := draw(r)
		var keys []graph.Key
		for _, o := range c.Objects {
			keys = append(keys, o.Key)
		}
		want, err := c.Explain(t.Context(), keys...)
		if err != nil {
			t.Fatal(err)
		}
		index := c.Index()
		for i, k := range keys {
			behind := index.Behind(k)
			got, err := behind.Explain(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(timeless(want[i]), timeless(got[0])); diff != "" {
				t.Fatalf("%s in %v (-whole +behind):\n%s", k, c.Objects, diff)
			}
		}
	}
}

// draw returns a content of a few objects with random references, marks and finalizers.
func draw(r *rand.Rand) Content {
	c := Content{Kinds: []graph.KindInfo{{Kind: "pod", Scoped: true}, {Kind: "node"}}, Level: ownergraph.Level2}
	if r.IntN(4) == 0 {
		c.Partial = map[graph.Kind]string{"node": "forbidden"}
	}
	keys := make([]graph.Key, 7)
	for i := range keys {
		keys[i] = graph.Key{Kind: "pod", Scope: "s", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("u", i))}
		if i > 4 {
			keys[i].Kind, keys[i].Scope = "node", ""
		}
	}
	for i, k := range keys {
		if r.IntN(5) == 0 {
			continue // only named
		}
		o := graph.Object{Key: k, Version: graph.Version(fmt.Sprint(i + 1))}
		for _, j := range r.Perm(len(keys))[:r.IntN(3)] {
			if k.Scope == "" && keys[j].Scope != "" {
				continue
			}
			o.Owners = append(o.Owners, graph.Owner{Key: keys[j], Block: r.IntN(2) == 0})
		}
		if r.IntN(3) == 0 {
			o.Deleting = true
			o.Finalizers = [][]string{{"x.io/y"}, {graph.FinalizerForeground}, {graph.FinalizerOrphan}, {graph.FinalizerForeground, "x.io/y"}}[r.IntN(4)]
		}
		c.Objects = append(c.Objects, o)
	}
	return c
}

// TestPartialKindBlocksFences: a dependent of a partial kind may be missing, so no orphaning
// and no foreground deletion ends.
func TestPartialKindBlocksFences(t *testing.T) {
	for range 30 {
		c := parse(t, `pod/s/a#1~[orphan]; pod/s/b#1~[foreground]; set/s/c#1 -> pod/s/a`)
		c.Partial = map[graph.Kind]string{"set": "forbidden"}
		list, err := c.Explain(t.Context(), c.Objects[0].Key, c.Objects[1].Key)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			if x.Decision.Action == policy.Release {
				t.Fatalf("%s", x.Text())
			}
		}
	}
}
