package dump

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	namespaceMeta   = `"metadata":{"name":"n","uid":"u","finalizers":["x.io/y"],"deletionTimestamp":"2026-01-02T03:04:05Z"}`
	namespaceSpec   = `"spec":{"finalizers":["kubernetes","x.io/z"]}`
	namespaceStatus = `"status":{"conditions":[
		{"type":"B","status":"True","reason":"R","message":"m","lastTransitionTime":"2026-01-02T03:04:06Z"},
		{"type":"C","status":"False"},{"type":"A","status":"True"}]}`
)

// TestNamespace: the finalizers in a Namespace's spec and its true conditions are read, in any
// order of the fields, as adapters/clientgo reads them. Those of other kinds are payload.
func TestNamespace(t *testing.T) {
	finalizers := []string{"x.io/y", "spec.finalizers:kubernetes", "spec.finalizers:x.io/z"}
	conditions := []Condition{{Type: "A", Status: "True"},
		{Type: "B", Status: "True", Since: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), Reason: "R", Message: "m"}}
	kind := func(apiVersion, kind string) string { return `"apiVersion":"` + apiVersion + `","kind":"` + kind + `"` }
	for _, c := range []struct {
		fields     []string
		finalizers []string
		conditions []Condition
		reason     string
	}{
		{[]string{kind("v1", "Namespace"), namespaceMeta, namespaceSpec, namespaceStatus}, finalizers, conditions, "the order of kubectl"},
		{[]string{namespaceStatus, namespaceSpec, namespaceMeta, kind("v1", "Namespace")}, finalizers, conditions, "the kind comes last"},
		{[]string{kind("v1", "Namespace"), namespaceMeta}, finalizers[:1], nil, "metadata alone"},
		{[]string{kind("v1", "Namespace"), namespaceMeta, `"spec":null`, `"status":{}`}, finalizers[:1], nil, "empty fields"},
		{[]string{kind("v1", "Node"), namespaceMeta, namespaceSpec, namespaceStatus}, finalizers[:1], nil, "another kind"},
		{[]string{kind("x.io/v1", "Namespace"), namespaceMeta, namespaceSpec, namespaceStatus}, finalizers[:1], nil, "another group"},
		{[]string{namespaceSpec, kind("v1", "Node"), namespaceMeta, namespaceStatus}, finalizers[:1], nil, "another kind, late"},
	} {
		got := mustRead(t, "{"+strings.Join(c.fields, ",")+"}")
		o := got.Objects[0]
		if diff := cmp.Diff(c.finalizers, o.Finalizers) + cmp.Diff(c.conditions, got.Conditions[o.Key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
	for _, c := range []struct{ spec, want, reason string }{
		{`"spec":{"finalizers":[""]}`, "spec.finalizers[0]: missing", "an empty name"},
		{`"spec":{"finalizers":["a b"]}`, "spec.finalizers[0]: \"a b\": a character that no name has", "no API server takes it"},
		{`"spec":{"finalizers":"x"}`, "spec.finalizers: want an array, have string", "another type"},
		{`"spec":{},"spec":{}`, "spec: given twice", "one would hide the other"},
		{`"status":{"conditions":{}}`, "status.conditions: want an array, have object", "another type"},
		{`"status":{"conditions":[{"type":1}]}`, "status.conditions.type: want text, have number", "a type in it"},
		{`"status":{"conditions":[{"lastTransitionTime":"soon"}]}`, "status: ", "no time"},
	} {
		_, err := Read(strings.NewReader("{"+kind("v1", "Namespace")+","+namespaceMeta+","+c.spec+"}"), "input")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "(Namespace/n)") {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}
