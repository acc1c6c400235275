package lint_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// checkGolden compares got with a file.
func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// fault is one planted fault: the change of the cluster, and the findings "code place"
// that it adds.
type fault struct {
	name  string
	plant func(*dump)
	want  []string
}

// owned adds a ConfigMap in the namespace shop with the owners.
func owned(d *dump, name string, owners ...ref) *item {
	return d.add("v1", "ConfigMap/shop/"+name, owners...)
}

// of returns a reference to an object of the cluster after a change.
func (d *dump) of(place string, edit func(*ref)) ref {
	r := d.at(place).ref()
	if edit != nil {
		edit(&r)
	}
	return r
}

func absent(kind, name string) ref {
	return ref{APIVersion: "apps/v1", Kind: kind, Name: name, UID: "uid-of-absent-" + name}
}

// marked sets a deletion mark of an age, and finalizers.
func (d *dump) marked(o *item, age time.Duration, finalizers ...string) {
	at := d.now.Add(-age)
	o.Metadata.DeletionTimestamp, o.Metadata.Finalizers = &at, finalizers
}

const drain = "example.com/drain" // a finalizer with a handler

func faults() []fault {
	return append(ownerFaults(), objectFaults()...)
}

func ownerFaults() []fault {
	cart, catalog := "Deployment/shop/cart", "Deployment/shop/catalog"
	return []fault{
		{"the only owner is missing", func(d *dump) { owned(d, "f01", absent("Deployment", "gone")) }, []string{"OG001 ConfigMap/shop/f01"}},
		{"one of two owners is missing", func(d *dump) { owned(d, "f02", absent("Deployment", "gone"), d.of(cart, nil)) }, []string{"OG001 ConfigMap/shop/f02"}},
		{"the owner's kind cannot be listed", func(d *dump) {
			d.kinds = append(d.kinds, served{group: "vault.io", kind: "Vault", versions: []string{"v1"}, namespaced: true, failure: "forbidden"})
			owned(d, "f03", ref{APIVersion: "vault.io/v1", Kind: "Vault", Name: "v", UID: "uid-of-vault"})
		}, []string{"OG002 ConfigMap/shop/f03"}},
		{"an upgrade removed the version of the reference", func(d *dump) {
			owned(d, "f04", d.of(cart, func(r *ref) { r.APIVersion = "apps/v1beta1" }))
		}, []string{"OG003 ConfigMap/shop/f04"}},
		{"the reference lacks the group", func(d *dump) {
			owned(d, "f05", d.of(cart, func(r *ref) { r.APIVersion = "v1" }))
		}, []string{"OG009 ConfigMap/shop/f05"}},
		{"the reference has another kind", func(d *dump) {
			owned(d, "f06", d.of(cart, func(r *ref) { r.Kind = "ReplicaSet" }))
		}, []string{"OG005 ConfigMap/shop/f06"}},
		{"the owner is in another namespace", func(d *dump) { owned(d, "f07", d.of("Deployment/platform/auth", nil)) }, []string{"OG006 ConfigMap/shop/f07"}},
		{"the reference has another name", func(d *dump) {
			owned(d, "f08", d.of(cart, func(r *ref) { r.Name = "trolley" }))
		}, []string{"OG007 ConfigMap/shop/f08"}},
		{"the kind is in small letters", func(d *dump) {
			owned(d, "f09", d.of(cart, func(r *ref) { r.Kind = "deployment" }))
		}, []string{"OG010 ConfigMap/shop/f09"}},
		{"a global object has a namespaced owner", func(d *dump) {
			d.add("scheduling.k8s.io/v1", "PriorityClass/f10", d.of(cart, nil))
		}, []string{"OG011 PriorityClass/f10"}},
		{"an event owns", func(d *dump) {
			owned(d, "f11", d.add("v1", "Event/shop/happened").ref())
		}, []string{"OG008 ConfigMap/shop/f11"}},
		{"an object owns itself", func(d *dump) {
			o := owned(d, "f12")
			o.Metadata.OwnerReferences = []ref{o.ref()}
		}, []string{"OG012 ConfigMap/shop/f12"}},
		{"the same reference twice", func(d *dump) { owned(d, "f13", d.of(cart, nil), d.of(cart, nil)) }, []string{"OG013 ConfigMap/shop/f13"}},
		{"one UID at two places", func(d *dump) {
			owned(d, "f14", d.of(cart, nil), d.of(cart, func(r *ref) { r.Name = "trolley" }))
		}, []string{"OG014 ConfigMap/shop/f14"}},
		{"two controllers", func(d *dump) {
			control := func(r *ref) { r.Controller = true }
			owned(d, "f15", d.of(cart, control), d.of(catalog, control))
		}, []string{"OG015 ConfigMap/shop/f15"}},
		{"a reference without a name", func(d *dump) {
			owned(d, "f16", d.of(cart, func(r *ref) { r.Name = "" }))
		}, []string{"OG016 ConfigMap/shop/f16"}},
	}
}

func objectFaults() []fault {
	block := func(r *ref) { r.BlockOwnerDeletion = true }
	ring := func(d *dump, a, b string) *item {
		owned(d, b)
		owned(d, a, d.of("ConfigMap/shop/"+b, block))
		d.at("ConfigMap/shop/" + b).Metadata.OwnerReferences = []ref{d.of("ConfigMap/shop/"+a, block)}
		return d.at("ConfigMap/shop/" + a)
	}
	return []fault{
		{"two objects own each other", func(d *dump) { ring(d, "f17a", "f17b") }, []string{"OG017 ConfigMap/shop/f17a"}},
		{"a foreground deletion waits for itself", func(d *dump) {
			d.marked(ring(d, "f18a", "f18b"), time.Minute, graph.FinalizerForeground)
		}, []string{"OG018 ConfigMap/shop/f18a"}},
		{"a blocking dependent of a background deletion", func(d *dump) {
			d.marked(owned(d, "f19owner"), time.Minute, drain)
			owned(d, "f19", d.of("ConfigMap/shop/f19owner", block))
		}, []string{"OG019 ConfigMap/shop/f19"}},
		{"a finalizer of a dependent holds its owner", func(d *dump) {
			d.marked(owned(d, "f20owner"), time.Minute, graph.FinalizerForeground)
			d.marked(owned(d, "f20", d.of("ConfigMap/shop/f20owner", block)), time.Minute, drain)
		}, []string{"OG020 ConfigMap/shop/f20"}},
		{"a deletion stuck for three days", func(d *dump) { d.marked(owned(d, "f21"), 72*time.Hour, drain) }, []string{"OG021 ConfigMap/shop/f21"}},
		{"a finalizer of a removed controller", func(d *dump) {
			owned(d, "f22").Metadata.Finalizers = []string{"removed.io/cleanup"}
		}, []string{"OG022 ConfigMap/shop/f22"}},
		{"both finalizers of propagation", func(d *dump) {
			owned(d, "f23").Metadata.Finalizers = []string{graph.FinalizerOrphan, graph.FinalizerForeground}
		}, []string{"OG023 ConfigMap/shop/f23"}},
		{"one object under two groups", func(d *dump) {
			d.kinds = append(d.kinds, served{group: "extensions", kind: "Deployment", versions: []string{"v1beta1"}, namespaced: true})
			d.add("extensions/v1beta1", "Deployment/shop/search").Metadata.UID = d.at("Deployment/shop/search").Metadata.UID
		}, []string{"OG024 Deployment/shop/search"}},
		{"a copied object kept its UID", func(d *dump) {
			owned(d, "f25a")
			owned(d, "f25b").Metadata.UID = "uid-of-ConfigMap-shop-f25a"
		}, []string{"OG025 ConfigMap/shop/f25b"}},
		{"an owner of 40 objects", func(d *dump) {
			owner := owned(d, "f26").ref()
			for i := range 40 {
				owned(d, fmt.Sprintf("f26-%d", i), owner)
			}
		}, []string{"OG026 ConfigMap/shop/f26"}},
		{"a chain of eight owners", func(d *dump) {
			owner := owned(d, "f27-0").ref()
			for i := 1; i < 8; i++ {
				owner = owned(d, fmt.Sprintf("f27-%d", i), owner).ref()
			}
		}, []string{"OG027 ConfigMap/shop/f27-6"}},
		{"a replica set lost its owner", func(d *dump) { d.add("apps/v1", "ReplicaSet/shop/f28") }, []string{"OG028 ReplicaSet/shop/f28"}},
		{"the controller is gone, another owner lives", func(d *dump) {
			r := absent("Deployment", "gone")
			r.Controller = true
			owned(d, "f29", r, d.of("Deployment/shop/cart", nil))
		}, []string{"OG001 ConfigMap/shop/f29", "OG029 ConfigMap/shop/f29"}},
		{"an object of a removed definition", func(d *dump) { d.add("old.io/v1", "Widget/shop/f30") }, []string{"OG030 Widget/shop/f30"}},
		{"an object outlived its namespace", func(d *dump) { d.add("v1", "ConfigMap/removed/f31") }, []string{"OG031 ConfigMap/removed/f31"}},
	}
}

// settings are the settings for the recorded cluster.
func settings() lint.Config {
	return lint.Config{
		MaxDependents: 30, MaxDepth: 6, OwnedKinds: []graph.Kind{"apps/ReplicaSet"},
		Handlers: []string{
			"db.example.com/deprovision", "kubernetes.io/pvc-protection", "batch.kubernetes.io/job-tracking",
			"networking.k8s.io/service-cidr-finalizer", drain,
		},
	}
}

// found returns the findings as "code place".
func (d *dump) found(t *testing.T) []string {
	t.Helper()
	r, err := lint.Check(d.input(), settings())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range r.Findings {
		_, kind := groupVersion(string(f.Object.Kind))
		o := item{Kind: kind, Metadata: meta{Name: f.Object.Name, Namespace: f.Object.Scope}}
		list = append(list, f.Code.String()+" "+o.place())
	}
	return list
}

// TestPlantedFaults plants 31 faults into a recorded cluster, one after the other. Each
// fault adds its own findings and no other. The golden table has the findings of
// kubectl-check-ownerreferences, too, by the rules of its source.
func TestPlantedFaults(t *testing.T) {
	d := recorded(t)
	before := []string{"OG001 ConfigMap/batch/left-behind", "OG006 ConfigMap/payments/cart-settings-copy", "OG011 PriorityClass/cart-critical"}
	if got := d.found(t); !slices.Equal(got, before) {
		t.Fatalf("before: %q, want %q", got, before)
	}
	table := fmt.Sprintf("%-50s  %-10s %s\n", "planted fault", "lint", "kubectl-check-ownerreferences")
	ours, theirs := 0, 0
	for i, f := range faults() {
		before, rival := d.found(t), d.rival()
		f.plant(d)
		got := added(before, d.found(t))
		if !slices.Equal(got, f.want) {
			t.Errorf("%s: findings %q, want %q", f.name, got, f.want)
		}
		if len(got) > 0 {
			ours++
		}
		var codes []string
		for _, line := range got {
			codes = append(codes, line[:5])
		}
		column := "nothing"
		if more := added(rival, d.rival()); len(more) > 0 {
			theirs++
			column = strings.Join(strings.Fields(more[0])[2:], " ")
		}
		table += fmt.Sprintf("%2d %-47s  %-10s %s\n", i+1, f.name, strings.Join(codes, ","), column)
	}
	table += fmt.Sprintf("%-50s  %-10d %d\n", "found", ours, theirs)
	checkGolden(t, filepath.Join("testdata", "planted.golden"), table)
}
