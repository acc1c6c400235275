package finalizer

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestRestricts(t *testing.T) {
	for _, tc := range []struct {
		dependent string
		want      bool
		reason    string
	}{
		{"pod/ns/d@d1 -> rs/ns/o@o1:restrict", true, "an unmarked object refers to the owner with restrict"},
		{"pod/ns/d@d1 -> rs/ns/x@x1, rs/ns/o@o1!:restrict", true, "another reference and a block change nothing"},
		{"pod/ns/d@d1[x] -> rs/ns/o@o1:restrict", true, "a finalizer is no mark"},
		{"pod/ns/d@d1 -> rs/o@o1?:restrict", true, "an unresolved reference counts by its UID"},
		{"pod/ns/d@d1 -> rs/ns/o@o1", false, "an unset reference restricts nothing"},
		{"pod/ns/d@d1 -> rs/ns/o@o1:release", false, "a release reference restricts nothing"},
		{"pod/ns/d@d1 -> rs/ns/o@o1:cascade", false, "a cascade reference restricts nothing"},
		{"pod/ns/d@d1 -> rs/ns/x@x1:restrict, rs/ns/o@o1", false, "another owner is restricted"},
		{"pod/ns/d@d1 -> rs/ns/o@o2:restrict", false, "another incarnation is restricted"},
		{"pod/ns/d@d1 -> rs/other/o@o1:restrict", false, "no object is at these coordinates with this UID"},
		{"pod/ns/d@d1 -> rs/o@o2?:restrict", false, "an unresolved reference with another UID"},
		{"pod/ns/d@d1~[x] -> rs/ns/o@o1:restrict", false, "the mark of the dependent is enough"},
		{"pod/ns/d@d1~[foreground] -> rs/ns/o@o1:restrict", false, "each propagation is a mark"},
		{"pod/ns/d@d1~[" + graph.FinalizerHold + "] -> rs/ns/o@o1:restrict", true, "a guard holds the mark"},
		{"pod/ns/d@d1~[x," + graph.FinalizerProtect + "] -> rs/ns/o@o1:restrict", true, "the dependent is protected"},
		{"pod/ns/d@d1~[" + graph.FinalizerNew + "] -> rs/ns/o@o1:restrict", false, "the finalizer of an unjudged root holds no mark"},
		{"rs/ns/o@o1 -> rs/o@o1?:restrict", false, "an object does not restrict itself"},
	} {
		list, err := graph.Parse(tc.dependent)
		if err != nil {
			t.Fatal(err)
		}
		for _, marked := range []bool{false, true} {
			owner := graph.Object{Key: graph.Key{Kind: "rs", Scope: "ns", Name: "o", UID: "o1"}, Deleting: marked}
			if got := Restricts(list[0], owner); got != tc.want {
				t.Errorf("Restricts(%s, %s) = %t, want %t: %s", list[0], owner, got, tc.want, tc.reason)
			}
		}
	}
}
