package draft

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestCheckDump: content that no store has gets an error that names the field.
func TestCheckDump(t *testing.T) {
	with := func(change func(o *graph.Object)) []graph.Object {
		list, err := graph.Parse("k/a; k/b -> k/a")
		if err != nil {
			t.Fatal(err)
		}
		change(&list[1])
		return list
	}
	same := with(func(*graph.Object) {})
	for _, c := range []struct {
		kinds   string // one letter each
		partial graph.Kind
		objects []graph.Object
		want    string
		reason  string
	}{
		{"kp", "p", same, "", "a store may have it"},
		{"", "k", same, "", "the objects have the kind"},
		{"kk", "k", same, `Kinds[1]: "k": twice`, "a store serves a kind once"},
		{"k\xff", "k", same, "Kinds[1]: ", "no text"},
		{"k", "K", same, `Partial[0]: "K": not among the kinds`, "a misspelt kind would prove absences"},
		{"k", "k", append(same, same[0]), "Objects[2]: k/a: at the place of Objects[0]", "one object twice"},
		{"k", "k", with(func(o *graph.Object) { o.Name = "a" }), "Objects[1]: k/a@\"k/b\": at the place of Objects[0]", "another incarnation"},
		{"k", "k", with(func(o *graph.Object) { o.UID = "k/a" }), "Objects[1]: k/b@\"k/a\": has the UID of Objects[0], which is k/a", "a UID names one object"},
		{"k", "k", with(func(o *graph.Object) { o.GraceSeconds = -1 }), "Objects[1]: k/b: GraceSeconds: negative", "no time is negative"},
		{"k", "k", with(func(o *graph.Object) { o.Scope = "\xff" }), "Objects[1]: ", "the key is no text"},
		{"k", "k", with(func(o *graph.Object) { o.Owners[0].Name = "\xff" }), "Objects[1]: k/b: ", "a reference is no text"},
		{"k", "k", with(func(o *graph.Object) { o.Finalizers = []string{"\xff"} }), "Objects[1]: k/b: ", "a finalizer is no text"},
	} {
		var kinds []graph.KindInfo
		for i := range len(c.kinds) {
			kinds = append(kinds, graph.KindInfo{Kind: graph.Kind(c.kinds[i : i+1])})
		}
		switch err := CheckDump(kinds, []graph.Kind{c.partial}, c.objects); {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v: %s", c.kinds, err, c.reason)
		case c.want != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("error %v, want %q: %s", err, c.want, c.reason)
		}
	}
}
