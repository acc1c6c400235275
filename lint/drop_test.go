package lint_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// dropped returns the drops as "object: indexes", and the references that stay with their causes.
func dropped(d lint.Drops) string {
	var list []string
	for _, o := range d.Objects {
		list = append(list, fmt.Sprintf("drop %s#%s %v", o.Object, o.Version, o.Indexes))
	}
	for _, l := range d.Left {
		list = append(list, fmt.Sprintf("leave %s [%d]: %s", l.Object, l.Index, l.Cause))
	}
	return strings.Join(list, "|")
}

// TestDrops: exactly the wrong references go, and each doubtful one stays.
func TestDrops(t *testing.T) {
	const unlisted, rest = "the owner's kind is not listed in full", "the owners that remain are not known to exist, and the collector may delete the object without the reference"
	for _, c := range []struct{ objects, want, reason string }{
		{"pod/s/a#7 -> pod/s/b, node/n; pod/s/b#1; node/n#1", "", "each owner is there"},
		{"pod/s/a#7 -> pod/s/b, node/n; node/n#1", "drop pod/s/a#7 [0]", "an absent owner"},
		{"pod/s/a#7 -> pod/s/b@u; pod/s/b@v#1", "drop pod/s/a#7 [0]", "the owner was made anew, with another UID"},
		{"pod/s/a#7 -> node/n, pod/s/b@u; node/n#1; pod/t/b@u#1", "drop pod/s/a#7 [1]", "the owner is in another scope"},
		{"node/n#7 -> pod/s/a; pod/s/a#1", "drop node/n#7 [0]", "a global object with a scoped owner"},
		{"pod/s/a#7 -> pod/s/a", "drop pod/s/a#7 [0]", "a self-reference"},
		{"pod/s/a#7 -> node/n, pod/s/b, node/n, pod/s/b, node/m; node/m#1; node/n#1", "drop pod/s/a#7 [1 3]", "the copy of a wrong reference"},
		{"pod/s/a#7 -> pod/s/b, pod/s/c, rs/s/d", "drop pod/s/a#7 [0 1 2]", "all of them"},
		{"pod/s/a#7 -> secret/s/b", "", "an owner of a kind that is not listed is not known to be missing"},
		{"pod/s/a#7 -> pod/s/b, secret/s/c", "drop pod/s/a#7 [0]", "a doubtful reference stays"},
		{"node/n#7 -> secret/s/b", "leave node/n [0]: " + unlisted, "the kind of a wrong owner is not listed"},
		{"node/n#7 -> pod/s/a, metric/s/b@u?; pod/s/a#1", "leave node/n [0]: " + rest + "|leave node/n [1]: " + unlisted, "what remains may be absent, and the collector never looked"},
		{"pod/s/a#7 -> pod/s/a, secret/s/b", "leave pod/s/a [0]: " + rest, "the self-reference keeps the object"},
		{"pod/s/a#7 -> pod/s/a, secret/s/b, node/n; node/n#1", "drop pod/s/a#7 [0]", "another owner keeps it"},
		{"pod/s/a#7 -> pod/s/b@u, secret/s/c; pod/t/b@u#1", "leave pod/s/a [0]: " + rest, "the engine keeps the object because of an owner in another scope"},
		{"pod/s/a#7 -> pod/s/b@u, pod/s/c; pod/t/b@u#1", "drop pod/s/a#7 [0 1]", "an owner in another scope, and an absent one"},
		{"pod/s/a#7 -> rs/s/b@u; pod/s/b@u#1", "", "a wrong kind is to correct"},
		{"pod/s/a#7 -> pod/s/c@u; pod/s/b@u#1", "", "a wrong name is to correct"},
		{"pod/s/a#7 -> pod/s/c@u; pod/t/b@u#1", "leave pod/s/a [0]: its kind or its name is wrong, too: correct it by hand", "a wrong name in another scope"},
		{"pod/s/a#7 -> node/n@u, node/m@u; node/n@u#1", "", "one of two claims is wrong, and which one is not known"},
		{"pod/s/a#7 -> event/s/b; event/s/b#1", "", "a rule about the kind"},
		{"pod/s/a#7 -> x/s/b", "", "a kind that is not served"},
		{"pod/s/a -> pod/s/b", "leave pod/s/a [0]: the version of the object is not known", "no version to compare with"},
		{"pod/s/a#7 -> pod/s/b, pod/s/c:cascade", "drop pod/s/a#7 [0]|leave pod/s/a [1]: it has a policy, and is no owner reference of the metadata: correct the annotation by hand", "a patch of owner references does not reach an annotation"},
		{"pod/s/b#7 -> node/x; pod/s/a#8 -> node/x", "drop pod/s/a#8 [0]|drop pod/s/b#7 [0]", "in order of keys"},
	} {
		r, d, err := lint.CheckDrops(input(t, c.objects), lint.Config{})
		if got := dropped(d); err != nil || got != c.want {
			t.Errorf("%s: %s: error %v\ngot  %s\nwant %s", c.objects, c.reason, err, got, c.want)
		}
		if plain, err := lint.Check(input(t, c.objects), lint.Config{}); err != nil || plain.String() != r.String() {
			t.Errorf("%s: error %v, the report differs from that of Check:\n%s", c.objects, err, r)
		}
	}
}

// TestDropsOfTheReport: a finding that a list leaves out has no drop, and the places of owners are
// those where the collector looks.
func TestDropsOfTheReport(t *testing.T) {
	ignore, err := lint.ParseIgnore("OG001 pod/s/a\n")
	if err != nil {
		t.Fatal(err)
	}
	in := input(t, `pod/s/a#1 -> node/x; pod/s/b#1 -> node/x, pod/s/y, "apps/dep"/s/z; node/n#1 -> pod/s/a; pod/s/c@u#1 -> pod/s/d@w; pod/t/d@w#1`)
	_, d, err := lint.CheckDrops(in, lint.Config{Ignore: ignore})
	if got, want := dropped(d), "drop node/n#1 [0]|drop pod/s/b#1 [0 1 2]|drop pod/s/c@u#1 [0]"; err != nil || got != want {
		t.Fatalf("error %v, %s, want %s", err, got, want)
	}
	var places []string
	for _, o := range d.Objects {
		for i, k := range o.Places(in.Kinds) {
			if k.UID != o.Owners[i].UID {
				t.Errorf("the place %v has not the UID of the reference", k)
			}
			places = append(places, k.PlaceString())
		}
	}
	if got, want := strings.Join(places, " "), `node/x pod/s/y "apps/Dep"/s/z pod/s/d`; got != want {
		t.Errorf("places %s, want %s", got, want)
	}
	same := []lint.Kind{{KindInfo: graph.KindInfo{Kind: "x/Rock"}}, {KindInfo: graph.KindInfo{Kind: "x/ROCK"}}}
	rock := lint.Drop{Object: graph.Key{Kind: "x/Rock", Name: "a"}, Owners: []graph.Owner{{Key: graph.Key{Kind: "x/ROCK", Name: "b", UID: "u"}}}}
	if got := rock.Places(same); len(got) != 1 || got[0] != rock.Owners[0].Key {
		t.Errorf("two kinds that differ in case: %v", got)
	}
	in.Kubernetes = false
	if _, _, err := lint.CheckDrops(in, lint.Config{}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("another store: %v", err)
	}
	in.Kubernetes, in.Kinds[0].Kind = true, ""
	if _, _, err := lint.CheckDrops(in, lint.Config{}); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("a kind without a name: %v", err)
	}
}
