package follow

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestGoneBefore: an object that went before the call leads to members, if it went with a
// root. If the engine has forgotten that, its dependents count, too.
func TestGoneBefore(t *testing.T) {
	const unknown, ofR, ofS, leftOut = 0, 2, 3, 4
	for _, c := range []struct {
		reason, gone string
		root         uint64 // of k/a
		ways         string // objects with their owners at the end
		origin       string // of k/r
		open         bool
		left         string
	}{
		{"it went with the root", "k/r; k/a", ofR, "", "k/r", false, "b c"},
		{"its deletion began with itself", "k/r; k/a", ownRoot, "", "k/r", false, ""},
		{"its deletion began with itself, and the root of the other is not known", "k/r; k/a", ownRoot, "", "", true, "y"},
		{"it went with another root", "k/r; k/a", ofS, "", "k/r", false, ""},
		{"both went with another, and the way leads over an object that has left the graph", "k/r; k/a", ofS, "k/a -> k/m; k/m -> k/r", "k/s", false, "b c"},
		{"both went with another, on ways of their own", "k/r; k/a", ofS, "k/a -> k/m, k/x; k/m -> k/s", "k/s", false, ""},
		{"both went with another, and the way is forgotten", "k/r; k/a", ofS, "k/a -> k/m", "k/s", false, "b c"},
		{"a root is left out, and the way leads elsewhere", "k/r; k/a", leftOut, "k/a -> k/x", "k/r", false, ""},
		{"a root is left out, and the way is forgotten", "k/r; k/a", leftOut, "", "k/r", false, "b c"},
		{"its root is not known, that of the other is", "k/r; k/a", unknown, "", "k/r", false, ""},
		{"no root is known, as after a restart", "k/r", unknown, "", "", true, "b c y"},
		{"the root exists and is marked", "k/a", ofR, "", "k/r", false, "b c r"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, "k/r~*")
			r.Close(r.graph)
			r.Follower = nil
			r.put(c.gone + "; k/b -> k/a; k/c -> k/b; k/x; k/y -> k/never; k/z -> j/unserved")
			r.end(c.gone)
			r.ends.take(t, c.ways)
			if n, ok := r.graph.Lookup(parse(t, "k/a")[0].Key); ok {
				r.table.Edit(r.graph, n.ID()).Root = c.root
			}
			root := parse(t, "k/r")[0].Key
			r.Follower = open(r.graph, root)
			r.ends.last, r.ends.origin, r.ends.open = root, keysOf(t, c.origin), c.open
			r.Begin(r.view(), root)
			if r.Step(r.view(), 1); r.Counts(r.view()).Over {
				t.Error("over before the scan ends")
			}
			r.walk()
			if got := strings.Join(r.names(), " "); got != c.left {
				t.Errorf("the members are %q, want %q", got, c.left)
			}
		})
	}
}

// TestGoneBeforeMeanwhile: an object goes, comes or comes back while the scan is under way,
// and after its end.
func TestGoneBeforeMeanwhile(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(r *rig)
		gone   int
		left   string
	}{
		{"nothing", func(*rig) {}, 1, "b"},
		{"a dependent of the object goes", func(r *rig) { r.end("k/b") }, 2, "c"},
		{"one comes", func(r *rig) { r.put("k/d -> k/a; k/c#2 -> k/d") }, 1, "b c d"},
		{"the object comes back", func(r *rig) {
			r.observe(graph.Event{Type: graph.Rewound})
			r.Rewind()
			r.put("k/a#1")
		}, 1, ""},
	} {
		for _, steps := range []int{0, 2, 100} {
			r := newRig(t, "k/r; k/a; k/b -> k/a; k/c")
			r.Close(r.graph)
			r.Follower = nil
			r.end("k/r; k/a")
			r.ends.take(t, "")
			n, _ := r.graph.Lookup(parse(t, "k/a")[0].Key)
			r.table.Edit(r.graph, n.ID()).Root = 2
			root := parse(t, "k/r")[0].Key
			r.Follower = open(r.graph, root)
			r.ends.last, r.ends.origin = root, []graph.Key{root}
			r.Begin(r.view(), root)
			if c.gone == 2 {
				r.put("k/c#2 -> k/b")
			}
			for range steps {
				r.Step(r.view(), 1)
			}
			c.change(r)
			if n := r.walk(); n.Gone != c.gone || strings.Join(r.names(), " ") != c.left {
				t.Errorf("%+v and %q, want %d gone and %q after %d steps: %s", n, r.names(), c.gone, c.left, steps, c.reason)
			}
		}
	}
}

// TestRoots: an object that exists stands for its name. Else the newest end in the history
// does, then other ends, and then references.
func TestRoots(t *testing.T) {
	for _, c := range []struct {
		key, objects, ends string
		proven             string // references that a call did not find
		last, absent       string
		want               string
		reason             string
	}{
		{"k/a", "k/b -> k/a@one, k/a@two; k/a@live; k/c -> k/a@gone; k/a@gone", "k/a@gone", "k/a@one k/a@two", "k/a@old", "k/a@left", "live", "it exists"},
		{"k/a", "k/a@live; k/a@more", "", "", "", "", "live more", "two exist"},
		{"k/a", "k/c -> k/a@gone, k/a@one; k/a@gone", "k/a@gone", "k/a@one", "k/a@old", "k/a@left", "old", "the history has an end"},
		{"k/a", "k/c -> k/a@gone, k/a@one; k/a@gone", "k/a@gone", "k/a@one", "", "k/b", "gone", "the watch has shown an end"},
		{"k/a", "k/c -> k/a@one", "", "k/a@one", "", "k/a@left", "left", "the graph has forgotten the object"},
		{"k/a", "k/c -> k/a@one, k/a@two", "", "k/a@one", "", "", "one", "a call did not find one of two"},
		{"k/a", "k/c -> k/a@one, k/a@two", "", "k/a@one k/a@two", "", "", "one two", "it found neither"},
		{"k/a", "k/c", "", "", "", "", "", "never seen"},
		{"k/a@one", "k/c -> k/a@one, k/a@two", "", "k/a@one k/a@two", "", "", "one", "the key has a UID"},
		{"k/a@one", "k/c -> k/a@one", "", "", "", "", "", "it may exist"},
		{"k/a@left", "k/c", "", "", "", "k/a@left", "left", "the graph has forgotten this one"},
	} {
		r := newRig(t, "k/r; "+c.objects)
		r.end(c.ends)
		for _, name := range strings.Fields(c.proven) {
			n, _ := r.graph.Lookup(keysOf(t, name)[0])
			r.table.Edit(r.graph, n.ID()).Absent = 1
		}
		for _, k := range keysOf(t, c.absent) {
			r.absent.Add(k)
		}
		if c.last != "" {
			r.ends.last = keysOf(t, c.last)[0]
		}
		key := keysOf(t, c.key)[0]
		if !strings.Contains(c.key, "@") {
			key.UID = ""
		}
		f := open(r.graph, key)
		for !f.StepSearch(r.view(), 8) {
		}
		var got []string
		for _, k := range f.Roots(r.view(), key) {
			got = append(got, string(k.UID))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}

func keysOf(t failer, objects string) (keys []graph.Key) {
	for _, o := range parse(t, objects) {
		keys = append(keys, o.Key)
	}
	return keys
}
