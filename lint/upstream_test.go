package lint_test

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/lint"
)

// small returns a cluster with pods, nodes and the given kinds.
func small(more ...served) *dump {
	v1 := []string{"v1"}
	return &dump{kinds: append([]served{{kind: "Node", versions: v1}, {kind: "Pod", versions: v1, namespaced: true}}, more...)}
}

// TestUpstream runs the cases of the test TestVerify of kubectl-check-ownerreferences, and
// shows our findings beside those of the tool. The case "discovery fails" is a path of
// verify.go that TestVerify does not take.
func TestUpstream(t *testing.T) {
	node := ref{APIVersion: "v1", Kind: "Node", Name: "node1", UID: "uid-of-Node-node1"}
	unlisted := ref{APIVersion: "x.io/v1", Kind: "X", Name: "x", UID: "ux"}
	x := served{group: "x.io", kind: "X", versions: []string{"v1"}, namespaced: true}
	forbidden, unavailable, undiscovered := x, x, x
	forbidden.failure, unavailable.failure, undiscovered.undiscovered = "forbidden", "the server is unavailable", true
	several := served{group: "g1", kind: "Several", versions: []string{"v1", "v1beta1"}, namespaced: true}
	pod := func(d *dump, owners ...ref) { d.add("v1", "Pod/ns1/pod1", owners...) }
	edited := func(edit func(*ref)) func(*dump) {
		return func(d *dump) {
			d.add("v1", "Node/node1")
			r := node
			edit(&r)
			pod(d, r)
		}
	}
	spelled := func(kind string) func(*dump) {
		return func(d *dump) {
			r := d.add("g1/v1", "Several/ns1/mgr1").ref()
			r.APIVersion, r.Kind = "g1/v1beta1", kind
			pod(d, r)
		}
	}
	for _, c := range []struct {
		name   string
		dump   *dump
		build  func(*dump)
		theirs string
		ours   []string
	}{
		{"simple", small(), edited(func(*ref) {}), "", nil},
		{"forbidden", small(forbidden), func(d *dump) { d.add("v1", "Node/node1"); pod(d, node, unlisted) },
			"Pod/ns1/pod1 ux Warning not listed", []string{"OG002 owners[1].kind"}},
		{"unavailable", small(unavailable), func(d *dump) { d.add("v1", "Node/node1"); pod(d, node, unlisted) },
			"Pod/ns1/pod1 ux Warning not listed", []string{"OG002 owners[1].kind"}},
		{"discovery fails", small(undiscovered), func(d *dump) { d.add("v1", "Node/node1"); pod(d, node, unlisted) },
			"Pod/ns1/pod1 ux Warning not discovered", []string{"OG002 owners[1].kind"}},
		{"unavailable version", small(), edited(func(r *ref) { r.APIVersion = "v2" }),
			"Pod/ns1/pod1 uid-of-Node-node1 Error cannot resolve", []string{"OG003 owners[0].version"}},
		{"mismatched name", small(), edited(func(r *ref) { r.Name = "nodex" }),
			"Pod/ns1/pod1 uid-of-Node-node1 Error name", []string{"OG007 owners[0].name"}},
		{"mismatched kind", small(), edited(func(r *ref) { r.Kind = "Pod" }),
			"Pod/ns1/pod1 uid-of-Node-node1 Error group/kind", []string{"OG005 owners[0].kind"}},
		{"cluster child, namespaced owner", small(), func(d *dump) {
			pod(d)
			d.add("v1", "Node/node1", d.at("Pod/ns1/pod1").ref())
		}, "Node/node1 uid-of-Pod-ns1-pod1 Error namespaced owner", []string{"OG011 owners[0].scope"}},
		{"mismatched namespace", small(), func(d *dump) {
			pod(d)
			d.add("v1", "Pod/ns2/pod2", d.at("Pod/ns1/pod1").ref())
		}, "Pod/ns2/pod2 uid-of-Pod-ns1-pod1 Error namespace", []string{"OG006 owners[0].scope"}},
		{"multigroup object", small(served{group: "g1", kind: "Several", versions: []string{"v1"}, namespaced: true}, served{group: "g2", kind: "Several", versions: []string{"v1beta1"}, namespaced: true}),
			func(d *dump) {
				d.add("g1/v1", "Several/ns1/mgr1")
				pod(d, d.add("g2/v1beta1", "Several/ns1/mgr1").ref())
			}, "", []string{"OG024 uid"}},
		{"non-preferred version", small(several), spelled("Several"), "", nil},
		{"case-different: lowercase", small(several), spelled("several"), "", []string{"OG010 owners[0].kind"}},
		{"case-different: uppercase", small(several), spelled("SEVERAL"), "Pod/ns1/pod1 uid-of-Several-ns1-mgr1 Error cannot resolve", []string{"OG009 owners[0].kind"}},
		{"case-different: edgecase", small(several), spelled("SeveraL"), "Pod/ns1/pod1 uid-of-Several-ns1-mgr1 Error cannot resolve", []string{"OG009 owners[0].kind"}},
		{"case-different: pluralkind", small(several), spelled("severals"), "Pod/ns1/pod1 uid-of-Several-ns1-mgr1 Error cannot resolve", []string{"OG009 owners[0].kind"}},
		{"case-different: singularresource", small(several), spelled("severalresource"), "Pod/ns1/pod1 uid-of-Several-ns1-mgr1 Error cannot resolve", []string{"OG009 owners[0].kind"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.build(c.dump)
			var theirs []string
			if c.theirs != "" {
				theirs = []string{c.theirs}
			}
			if got := c.dump.rival(); !slices.Equal(got, theirs) {
				t.Errorf("the tool finds %q, want %q", got, theirs)
			}
			r, err := lint.Check(c.dump.input(), lint.Config{})
			if err != nil {
				t.Fatal(err)
			}
			var ours []string
			for _, f := range r.Findings {
				ours = append(ours, f.Code.String()+" "+f.Field)
			}
			if !slices.Equal(ours, c.ours) {
				t.Errorf("findings %q, want %q", ours, c.ours)
			}
		})
	}
}
