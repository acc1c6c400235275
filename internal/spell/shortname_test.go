package spell_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// TestShortNames checks that a short name of kubectl finds its kind, and gives way to a kind of that
// very name.
func TestShortNames(t *testing.T) {
	object := func(kind graph.Kind, name string) graph.Object {
		return graph.Object{Key: graph.Key{Kind: kind, Name: name, UID: graph.UID(kind)}}
	}
	all := []graph.Object{object("apps/Deployment", "a"), object("PersistentVolumeClaim", "a"), object("batch/CronJob", "a"), object("x.io/Deployment", "b"), object("y.io/Po", "a"), object("Pod", "a")}
	for _, c := range []struct {
		typed, want, reason string
	}{
		{"deploy/a", "apps/Deployment", "a group"},
		{"PVC/a", "PersistentVolumeClaim", "any case"},
		{"cj/a", "batch/CronJob", "a group of another one"},
		{"po/a", "y.io/Po", "a kind of that name comes first"},
		{"deploy/b", "", "the short name is that of one group"},
		{"svc/a", "", "no object of that kind"},
	} {
		parsed, err := spell.ParseTarget(c.typed)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := spell.Find(all, parsed); string(o.Kind) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s, error %v, want %q: %s", c.typed, o.Kind, err, c.want, c.reason)
		}
	}
}

// TestSimilar checks which words a misspelt one may mean.
func TestSimilar(t *testing.T) {
	among := []string{"Deployment", "Pod", "Service", "services", "DaemonSet"}
	for _, c := range []struct{ word, want, reason string }{
		{"deploymnt", "[Deployment]", "a letter is missing"},
		{"Depolyment", "[Deployment]", "two letters are swapped"},
		{"service", "[Service services]", "the closest comes first"},
		{"pdo", "[Pod]", "a short word, with one letter"},
		{"pxx", "[]", "a short word is another one with two letters"},
		{"", "[]", "nothing"},
		{"StatefulSet", "[]", "too far"},
	} {
		if got := fmt.Sprint(spell.Similar(c.word, among)); got != c.want {
			t.Errorf("Similar(%q) = %s, want %s: %s", c.word, got, c.want, c.reason)
		}
	}
}
