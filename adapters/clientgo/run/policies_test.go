package run

import (
	"errors"
	"flag"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestPolicies: the program lets the accepted policies act, holds objects with the others, and says at
// its start how far policies bind.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		policies Policies
		held     []graph.OnDelete // of the three
		level    string           // of the line, "" for none
		reason   string
	}{
		{PoliciesUnset, []graph.OnDelete{graph.OnDeleteRelease, graph.OnDeleteRestrict, graph.OnDeleteCascade}, "", "no policy acts by default"},
		{PoliciesRelease, []graph.OnDelete{graph.OnDeleteRestrict, graph.OnDeleteCascade}, "INFO", "release deletes nothing"},
		{PoliciesAll, nil, "WARN", "cascade deletes"},
	} {
		bubble(t, Config{Act: true, Policies: c.policies}, func(r *rig) {
			gone := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "gone", UID: "gone"}
			for _, d := range []graph.OnDelete{graph.OnDeleteRelease, graph.OnDeleteRestrict, graph.OnDeleteCascade} {
				m := named(d.String())
				if err := clientgo.SetOwner(&m, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, gone, d); err != nil {
					t.Fatal(err)
				}
				r.put("configmaps", m)
			}
			r.start(r.program)
			pass(10 * time.Minute)
			flawed := map[string]bool{}
			for _, h := range r.program.collector.Held(10) {
				flawed[h.Key.Name] = h.Reason == policy.ObjectFlawed
			}
			if len(flawed) != len(c.held) {
				t.Errorf("%s: held %v, want %v: %s", c.policies, flawed, c.held, c.reason)
			}
			for _, d := range c.held {
				if !flawed[d.String()] {
					t.Errorf("%s: the object with %s is not held as flawed: %s", c.policies, d, c.reason)
				}
			}
			left := len(r.all("configmaps"))
			if want := map[bool]int{false: 3, true: 2}[c.policies == PoliciesAll]; left != want {
				t.Errorf("%s: %d objects are left, want %d: %s", c.policies, left, want, c.reason)
			}
			lines := r.with("bind background deletions only", "policies="+c.policies.String())
			if want := c.level != ""; want != (len(lines) == 1) || want && len(r.with("level="+c.level, "bind background deletions only")) != 1 {
				t.Errorf("%s: logged %q: %s", c.policies, lines, c.reason)
			}
		})
	}
}

// TestPoliciesRefused: the settings of the store and the engine do not contradict the flag.
func TestPoliciesRefused(t *testing.T) {
	for _, c := range []struct {
		config Config
		reason string
	}{
		{Config{Engine: ownergraph.Config{Policies: true}}, "the program knows no acceptance"},
		{Config{Policies: PoliciesAll, Engine: ownergraph.Config{Policies: true}}, "one of the two settings suffices"},
		{Config{Store: clientgo.Config{HeldPolicies: []graph.OnDelete{graph.OnDeleteCascade}}}, "the flag holds policies"},
		{Config{Policies: 9}, "an unknown set"},
	} {
		if _, err := New(&rest.Config{}, c.config); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
	var config Config
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(t.Output())
	config.RegisterFlags(f)
	for _, text := range []string{"cascade", "All", ""} {
		if err := f.Parse([]string{"-policies=" + text}); err == nil || config.Policies != PoliciesUnset {
			t.Errorf("-policies %q: %v, %v", text, config.Policies, err)
		}
	}
}
