package archive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// setCase is a world in short, and its restore set. An entry is "name[=restored] [owner[:policy]]... [word]...", and the words
// are explicit, orphaning, unreadable and by:holder. Each name is the UID, too.
type setCase struct {
	entries []string
	lives   string
	roots   string
	detach  bool
	want    string // of describe
	reason  string
}

func caseKey(name string) graph.Key { return graph.Key{Kind: "k", Name: name, UID: graph.UID(name)} }

func (c setCase) world() World {
	w := World{Lives: func(u graph.UID) bool { return slices.Contains(strings.Fields(c.lives), string(u)) }}
	for _, text := range c.entries {
		words := strings.Fields(text)
		name, restored, _ := strings.Cut(words[0], "=")
		e := Entry{Object: graph.Object{Key: caseKey(name)}}
		if restored != "" {
			e.Restored = caseKey(restored)
		}
		for _, word := range words[1:] {
			holder, ofSweep := strings.CutPrefix(word, "by:")
			switch {
			case word == "explicit":
				e.Explicit = true
			case word == "orphaning":
				e.Orphaning = true
			case word == "unreadable":
				e.Unreadable = "a column has gone"
			case ofSweep:
				e.Cause.Holder = caseKey(holder)
			default:
				owner, policy, _ := strings.Cut(word, ":")
				on := map[string]graph.OnDelete{"": 0, "cascade": graph.OnDeleteCascade, "restrict": graph.OnDeleteRestrict, "release": graph.OnDeleteRelease}[policy]
				e.Object.Owners = append(e.Object.Owners, graph.Owner{Key: caseKey(owner), OnDelete: on})
			}
		}
		w.Entries = append(w.Entries, e)
	}
	return w
}

// describe prints a set: the members with their owners and former UIDs, the moves, and the entries that stay.
func describe(s Set) string {
	var out []string
	for _, m := range s.Members {
		text := m.Entry.Object.Name
		for _, o := range m.Owners {
			text += " -> " + o.Name
		}
		if len(m.Former) > 0 {
			text += fmt.Sprint(" was ", m.Former)
		}
		out = append(out, text)
	}
	for _, l := range s.Back {
		out = append(out, l.From.Name+" is "+l.To.Name)
	}
	for _, x := range s.Left {
		out = append(out, fmt.Sprintf("not %s: %s", x.Entry.Object.Name, x.Why))
	}
	for _, x := range s.Refused {
		out = append(out, fmt.Sprintf("refused %s: %s", x.Entry.Object.Name, x.Why))
	}
	return strings.Join(out, "; ")
}

// TestMembers: the parts of a set in worlds that a random choice seldom meets.
func TestMembers(t *testing.T) {
	for _, c := range []setCase{
		{entries: []string{"r explicit", "x r lost:cascade", "a x b", "b a"}, roots: "r",
			want: "r; not a: no unset owner is there; not b: no unset owner is there; not x: a cascade owner is missing", reason: "a ring does not keep itself without a root"},
		{entries: []string{"r explicit", "a explicit orphaning", "c r:cascade a:restrict"}, roots: "r",
			want: "r; not c: a restrict owner is missing", reason: "an orphan deletion drops no restrict reference"},
		{entries: []string{"r explicit", "a explicit orphaning", "c r a"}, roots: "r", want: "r; c -> r", reason: "and it drops an unset one"},
		{entries: []string{"a2=a3 explicit", "a1=a2 explicit", "a3=a4 explicit"}, lives: "a4", roots: "a1",
			want: "a1 is a4; a2 is a4; a3 is a4", reason: "an object came back three times, and each former key leads to the present one"},
		{entries: []string{"a2=a3 explicit", "a1=a2 explicit", "a3=a4 explicit", "c a1 a2"}, lives: "a4", roots: "a3",
			want: "c -> a4 -> a4; a1 is a4; a2 is a4; a3 is a4", reason: "references to all its keys lead to the present one"},
		{entries: []string{"r explicit", "c1=c2 r", "c2=c3 r", "c3 r"}, roots: "r", want: "r; c3 -> r was [c1 c2]", reason: "a member came back before, and names its former UIDs"},
		{entries: []string{"r explicit", "m by:r"}, roots: "r", want: "r; m", reason: "the holder of a sweep is no owner of the member"},
		{entries: []string{"r explicit", "m r unreadable", "n m"}, roots: "r",
			want: "r; not m: its payload cannot be read", reason: "an unreadable entry stays, and leads no further"},
		{entries: []string{"r unreadable explicit"}, roots: "r", want: "r; refused r: its payload cannot be read", reason: "an unreadable root is refused"},
		{entries: []string{"r lost:cascade explicit"}, roots: "r", want: "r; refused r: a cascade owner is missing", reason: "a root without its owner is refused"},
		{entries: []string{"r lost:cascade live explicit"}, lives: "live", roots: "r", detach: true, want: "r -> live", reason: "detached it has the other references"},
	} {
		var roots []graph.UID
		for name := range strings.FieldsSeq(c.roots) {
			roots = append(roots, graph.UID(name))
		}
		if got := describe(SetOf(c.world(), Request{Roots: roots, Detach: c.detach})); got != c.want {
			t.Errorf("%s: the set of %v is\n%s\nwant\n%s", c.reason, c.entries, got, c.want)
		}
	}
}
