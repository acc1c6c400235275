package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/lint"
)

// TestEndingCommands: a namespace has the commands that end it, for a shell: one for each finalizer of a
// controller, and one for each API service that is down.
func TestEndingCommands(t *testing.T) {
	marked := func(kind graph.Kind, name string, finalizers ...string) lint.Object {
		var o lint.Object
		o.Key = graph.Key{Kind: kind, Scope: "old", Name: name, UID: graph.UID("uid-" + name)}
		o.Deleting, o.Finalizers = true, finalizers
		return o
	}
	patch := func(at int, finalizer string) string {
		return fmt.Sprintf(`'[{"op":"test","path":"/metadata/finalizers/%d","value":"%s"},{"op":"remove","path":"/metadata/finalizers/%[1]d"}]'`, at, finalizer)
	}
	unmarked := marked("ConfigMap", "a", "x.io/f")
	unmarked.Deleting = false
	var many []lint.Object
	for i := range maxCommands + 2 {
		many = append(many, marked("Pod", fmt.Sprintf("p%02d", i), fmt.Sprintf("x.io/f%02d", i)))
	}
	const head = "commands, if that controller or service is gone for good; its work stays undone:\n"
	for _, c := range []struct {
		objects []lint.Object
		down    []namespace.Service
		flags   []string
		want    []string
		reason  string
	}{
		{nil, nil, nil, nil, "nothing holds it"},
		{[]lint.Object{unmarked}, nil, nil, nil, "an object without a mark"},
		{[]lint.Object{marked("apps/Deployment", "a", graph.FinalizerForeground), marked("ConfigMap", "b", graph.FinalizerOrphan)}, nil, nil, nil, "the garbage collector takes its own off"},
		{[]lint.Object{marked("apps/Deployment", "a", graph.FinalizerForeground, "x.io/f")}, nil, nil,
			[]string{"kubectl patch deployment.apps a -n old --type=json -p " + patch(1, "x.io/f")}, "the place of the finalizer in its list"},
		{[]lint.Object{marked("Pod", "a", "x.io/f"), marked("Pod", "b", "x.io/f")}, nil, nil,
			[]string{"kubectl patch pod a -n old --type=json -p " + patch(0, "x.io/f")}, "the first object of a finalizer"},
		{[]lint.Object{marked("Pod", "a", "x.io/it's $(one) "+`"f"`)}, nil, []string{"--context=a b"},
			[]string{"kubectl '--context=a b' patch pod a -n old --type=json -p " + patch(0, "x.io/it'\\''s $(one) "+`\"f\"`)}, "quotes and spaces"},
		{nil, []namespace.Service{{Name: "v1.x.io", Reason: "down"}, {Name: "v2.x.io"}}, []string{"--context=c"},
			[]string{"kubectl --context=c delete apiservice v1.x.io", "kubectl --context=c delete apiservice v2.x.io"}, "API services that are down"},
	} {
		n := namespace.New(c.objects, "old", nil)
		n.Services.Down = c.down
		want := ""
		if len(c.want) > 0 {
			want = head + "  " + strings.Join(c.want, "\n  ") + "\n"
		}
		if got := endingCommands(n, c.flags); got != want {
			t.Errorf("%s:\n%swant\n%s", c.reason, got, want)
		}
	}
	got := endingCommands(namespace.New(many, "old", nil), nil)
	if strings.Count(got, "  kubectl patch pod p") != maxCommands || !strings.HasSuffix(got, "\n  ... and 2 more commands\n") {
		t.Errorf("many commands:\n%s", got)
	}
}
