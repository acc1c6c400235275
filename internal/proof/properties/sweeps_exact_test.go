package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"pgregory.net/rapid"
)

// hostileName draws a name of parts of tenants' names and of the delimiter.
func hostileName(t *rapid.T, delimiter, label string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "11", "a", delimiter, delimiter[:1], "."}), 1, 4)
	return strings.Join(parts.Draw(t, label), "")
}

// hostileObjects draws objects with the tenants' names and delimiters in their names
// and scopes.
func hostileObjects(t *rapid.T, tenants [2]string, delimiter string) (out []graph.Object) {
	text := func(label string) string {
		part := rapid.SampledFrom([]string{tenants[0], tenants[1], hostileName(t, delimiter, label)}).Draw(t, label+" of")
		rest := hostileName(t, delimiter, label+" rest")
		return rapid.SampledFrom([]string{part + delimiter + rest, part + delimiter, part, part + rest, rest + delimiter + part}).Draw(t, label+" whole")
	}
	for i := range rapid.IntRange(1, 10).Draw(t, "objects") {
		k := graph.Key{Kind: "vol", Name: text("name")}
		if rapid.Bool().Draw(t, "scoped") {
			k.Kind, k.Scope = "pod", text("scope")
		}
		if !slices.ContainsFunc(out, func(o graph.Object) bool { return o.Place() == k }) {
			k.UID = graph.UID(fmt.Sprint(i))
			out = append(out, graph.Object{Key: k})
		}
	}
	return out
}

// begins reports whether the object belongs to the tenant by the documentation.
func begins(o graph.Object, tenant, delimiter string) bool {
	return strings.HasPrefix(o.Name, tenant+delimiter) || strings.HasPrefix(o.Scope, tenant+delimiter)
}

// TestSweepDeletesExactly deletes one of two tenants, whose names have parts of each
// other and of the delimiter. An object goes if its name or scope begins with the
// tenant's name and the delimiter, and cannot belong to the other tenant. All other
// objects stay. A tenant with the delimiter in its name is not guarded, and none of
// its objects go.
func TestSweepDeletesExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]string{"-", "--", ".", "aa"}).Draw(t, "delimiter")
		names := [2]string{hostileName(t, d, "tenant"), hostileName(t, d, "other")}
		if names[0] == names[1] {
			names[1] += "1"
		}
		objects := hostileObjects(t, names, d)
		var want []string
		fits := strings.Index(names[0]+d, d) == len(names[0])
		stays := false
		for _, o := range objects {
			both := begins(o, names[0], d) && begins(o, names[1], d)
			if stays = stays || fits && both; !fits || !begins(o, names[0], d) || both {
				want = append(want, o.Key.String())
			}
		}
		for i, name := range names {
			k := graph.Key{Kind: "tenant", Name: name, UID: graph.UID(fmt.Sprint("tenant", i))}
			if objects = append(objects, graph.Object{Key: k}); i == 1 || stays {
				want = append(want, k.String())
			}
		}
		level := rapid.SampledFrom([]ownergraph.Level{ownergraph.Level1, ownergraph.Level2}).Draw(t, "level")
		got := leftBeside(t, level, d, objects)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Fatalf("tenant %q is deleted beside %q, with delimiter %q:\n%s\nremain, want\n%s", names[0], names[1], d, got, want)
		}
	})
}

// leftBeside deletes the first tenant and returns the remaining objects.
func leftBeside(t *rapid.T, level ownergraph.Level, delimiter string, objects []graph.Object) (left []string) {
	sweeps := []guard.Sweep{{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{{By: guard.ByName, Delimiter: delimiter}, {By: guard.ByScope, Delimiter: delimiter}},
	}}
	w, err := world.New(level, ownergraph.Config{Sweeps: sweeps}, rapid.IntRange(1, 2).Draw(t, "engines"), sweepKinds, objects)
	if err != nil {
		t.Fatal(err)
	}
	j := newSweepJudge(t, w, sweeps)
	j.fair = level >= ownergraph.Level2
	rest := func() {
		if err := w.RunToRest(); err != nil {
			t.Fatal(err)
		}
	}
	rest()
	w.Do(oracle.Action{Verb: oracle.Background, Object: graph.Object{Key: objects[len(objects)-2].Key}})
	rest()
	if j.broken != nil {
		t.Fatal(j.broken)
	}
	for _, o := range w.Store.Objects() {
		left = append(left, o.Key.String())
	}
	slices.Sort(left)
	return left
}
