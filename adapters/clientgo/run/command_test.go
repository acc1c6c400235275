package run

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	core "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

const recordArgs = "-record kube-system/ownergraph-collector "

// parsed returns the config of some flags.
func parsed(t *testing.T, args string) Config {
	t.Helper()
	var c Config
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	c.RegisterFlags(f)
	if err := f.Parse(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	return c
}

// command makes another program carry out a command.
func (r *rig) command(args string) error {
	r.t.Helper()
	return r.add(parsed(r.t, recordArgs+args)).Run(r.t.Context())
}

// record returns the text of the record.
func (r *rig) record() string {
	r.t.Helper()
	for _, o := range r.all("configmaps") {
		if m := o.meta(); m.Namespace == "kube-system" && m.Name == "ownergraph-collector" {
			data, _ := o["data"].(map[string]any)
			text, _ := data["value"].(string)
			return text
		}
	}
	return ""
}

// crowd puts an owner with some dependents, and removes the owner.
func (r *rig) crowd(owner string, n int) types.UID {
	r.t.Helper()
	o := r.put("deployments", named(owner))
	for i := range n {
		r.put("configmaps", named(fmt.Sprint(owner, "-", i), ref("apps/v1", "Deployment", owner, o.UID)))
	}
	pass(time.Second)
	r.remove("deployments", "ns", owner)
	pass(time.Second)
	return o.UID
}

// left counts the dependents of an owner.
func (r *rig) left(owner string) (n int) {
	for _, o := range r.all("configmaps") {
		if strings.HasPrefix(o.meta().Name, owner+"-") {
			n++
		}
	}
	return n
}

// TestCommandPause: a pause by a second program stops the first one and survives its restart,
// until another one ends it. Both are Events, with the range.
func TestCommandPause(t *testing.T) {
	bubble(t, parsed(t, recordArgs+"-act -events"), func(r *rig) {
		end := r.start(r.program)
		pass(time.Second)
		if err := r.command("-pause kind=ConfigMap"); err != nil {
			t.Fatal(err)
		}
		pass(11 * time.Second)
		if lines := r.with("msg=paused", "ConfigMap"); len(lines) != 2 { // of the command, too
			t.Errorf("logged %q", r.with(""))
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		second := r.add(parsed(t, recordArgs+"-act -events"))
		r.start(second)
		r.crowd("a", 3)
		pass(time.Minute)
		if n := r.left("a"); n != 3 {
			t.Errorf("%d are left", n)
		}
		if v := r.samples(second)[`ownergraph_pauses{extent="kind"}`]; v != 1 {
			t.Errorf("%v pauses", v)
		}
		if err := r.command("-resume kind=ConfigMap"); err != nil {
			t.Fatal(err)
		}
		pass(11 * time.Second)
		if n := r.left("a"); n != 0 {
			t.Errorf("%d are left", n)
		}
		got := r.eventLines()
		slices.Sort(got)
		want := []string{"Normal Paused: the engine is paused: kind ConfigMap", "Normal Paused: the engine is paused: kind ConfigMap", "Normal Resumed: the engine has resumed: kind ConfigMap"}
		if !slices.Equal(got, want) { // each program pauses
			t.Errorf("events %q", got)
		}
		if o := r.events()[0].InvolvedObject; o.Kind != "ConfigMap" || o.Namespace != "kube-system" || o.Name != "ownergraph-collector" {
			t.Errorf("about %+v", o)
		}
	})
}

// TestCommandPauseOfNothing: a pause that stops nothing is an error, and the record stays as it is.
func TestCommandPauseOfNothing(t *testing.T) {
	bubble(t, parsed(t, recordArgs+"-act"), func(r *rig) {
		check := func(args, want, reason string) {
			t.Helper()
			before := r.record()
			if err := r.command(args); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q: %s", args, err, want, reason)
			}
			if want != "" && r.record() != before {
				t.Errorf("%s: the record is %s: %s", args, r.record(), reason)
			}
		}
		check("-pause all", "A collector announces itself when it begins", "no collector has the record")
		check("-resume all", "there is no such record", "there is nothing to resume")
		r.set(func() {
			r.resources = append(r.resources, &resource{kind: "Namespace", plural: "namespaces", verbs: []string{"get", "list", "watch"}, objects: map[types.NamespacedName]object{}})
		})
		r.put("namespaces", metav1.ObjectMeta{Name: "prod"})
		r.start(r.program)
		pass(time.Second)
		check("-pause kind=apps/Deploymnt", `kind "apps/Deploymnt": the server has no such kind`, "a misspelt kind")
		check("-pause namespace=nowhere", `namespace "nowhere": it does not exist`, "a misspelt namespace")
		check("-resume kind=Pod", "it has no pause of kind Pod, and no other one", "another range")
		check("-pause namespace=prod", "", "a namespace")
		check("-pause namespace=nowhere,unchecked", "", "a namespace of tomorrow")
		check("-pause kind=ConfigMap", "", "a kind")
		check("-resume kind=ConfigMap", "", "its end")
	})
}

// TestCommandAnswers: a second program answers for the cascades that the first one holds. The
// log names the commands and the flag of the limit.
func TestCommandAnswers(t *testing.T) {
	bubble(t, parsed(t, recordArgs+"-act -brake 2"), func(r *rig) {
		r.start(r.program)
		pass(time.Second)
		a := r.crowd("a", 3)
		r.crowd("b", 3)
		r.crowd("c", 2)
		pass(11 * time.Second)
		if r.left("a") != 3 || r.left("b") != 3 || r.left("c") != 0 {
			t.Fatalf("%d, %d and %d are left", r.left("a"), r.left("b"), r.left("c"))
		}
		if lines := r.with("the brake holds a cascade", "-approve", "-refuse", "-brake", "uid="+string(a)); len(lines) != 1 {
			t.Errorf("logged %q", r.with("brake"))
		}
		if err := r.command("-approve uid=absent,atmost=3"); !errors.Is(err, ownergraph.ErrNotFound) {
			t.Errorf("of an unknown root: %v", err)
		}
		if err := r.command("-approve uid=" + string(a) + ",atmost=3,for=5m"); err != nil {
			t.Fatal(err)
		}
		if err := r.command("-refuse all,keep"); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if r.left("a") != 0 || r.left("b") != 3 {
			t.Errorf("%d and %d are left", r.left("a"), r.left("b"))
		}
		if got := r.record(); strings.Count(got, `"state":"approved"`) != 1 || strings.Count(got, `"state":"keep"`) != 1 {
			t.Errorf("the record is %s", got)
		}
		m := r.samples(r.program)
		for name, want := range map[string]float64{"braked_cascades": 1, "brake_trips_total": 2, "brake_approvals_total": 1, "brake_refusals_total": 1} {
			if m["ownergraph_"+name] != want {
				t.Errorf("%s is %v, want %v", name, m["ownergraph_"+name], want)
			}
		}
		if err := r.command("-approve all,atmost=3"); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if r.left("b") != 0 {
			t.Errorf("%d are left", r.left("b"))
		}
	})
}

// TestDefaultBrake: a program that acts has the default limit. The log has it, and the flag.
func TestDefaultBrake(t *testing.T) {
	for _, c := range []struct {
		args   string
		left   int
		log    string
		reason string
	}{
		{"-act", defaultBrake + 1, "limit=1000", "the default"},
		{"-act -brake 5000", 0, "limit=5000", "a higher limit"},
		{"-act -brake 0", 0, "", "none"},
	} {
		bubble(t, parsed(t, c.args), func(r *rig) {
			r.start(r.program)
			pass(time.Second)
			r.crowd("a", defaultBrake+1)
			pass(time.Minute)
			if n := r.left("a"); n != c.left {
				t.Errorf("%d are left, want %d: %s", n, c.left, c.reason)
			}
			if lines := r.with("change the limit by -brake", c.log); (len(lines) > 0) != (c.log != "") {
				t.Errorf("logged %q: %s", lines, c.reason)
			}
		})
	}
}

// TestBrakeAwaitSick: beside a kind that cannot be listed, a program that acts counts the kinds that
// it knows, and the log names the others. With the flag it counts when all kinds are listed.
func TestBrakeAwaitSick(t *testing.T) {
	for _, c := range []struct {
		args   string
		left   int // while the kind cannot be listed
		log    string
		reason string
	}{
		{"-act -brake 2", 0, "the brake counts cascades without the kinds", "the default"},
		{"-act -brake 2 -brake-await-sick", 2, "", "with the flag"},
	} {
		bubble(t, parsed(t, c.args), func(r *rig) {
			secrets := *r.of("configmaps")
			secrets.kind, secrets.plural, secrets.objects = "Secret", "secrets", map[types.NamespacedName]object{}
			r.resources = append(r.resources, &secrets)
			r.set(func() { r.broken = func(_, plural string) bool { return plural == "secrets" } })
			r.start(r.program)
			pass(time.Second)
			r.crowd("a", 2)
			pass(time.Hour)
			if n := r.left("a"); n != c.left {
				t.Errorf("%d are left beside a kind that cannot be listed, want %d: %s", n, c.left, c.reason)
			}
			if lines := r.with("the brake counts cascades without", c.log); (len(lines) > 0) != (c.log != "") {
				t.Errorf("logged %q: %s", lines, c.reason)
			}
			r.set(func() { r.broken = nil })
			pass(time.Hour)
			if n := r.left("a"); n != 0 {
				t.Errorf("%d are left when all kinds are listed: %s", n, c.reason)
			}
		})
	}
}

// TestCommandRetire: the finalizers of a guard that the flags no longer have go, and nothing else
// is written. A marked root keeps them, and is named.
func TestCommandRetire(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		old := named("old")
		old.Finalizers = []string{graph.FinalizerHold, graph.FinalizerNew, "example.org/kept"}
		r.put("configmaps", old)
		r.put("configmaps", named("other", ref("apps/v1", "Deployment", "gone", "u")))
		if err := r.command("-retire " + graph.FinalizerHold); err != nil {
			t.Error(err)
		}
		if lines := r.with("finalizer retired", "count=1", "others=0"); len(lines) != 1 {
			t.Errorf("logged %q", r.with(""))
		}
		if got := r.all("configmaps")[0].meta().Finalizers; !slices.Equal(got, []string{"example.org/kept"}) || r.left("other")+len(r.all("configmaps")) != 2 {
			t.Errorf("finalizers %q", got)
		}
		now := metav1.Now()
		old.DeletionTimestamp = &now
		r.put("configmaps", old)
		if err := r.command("-retire " + graph.FinalizerHold); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "1 marked roots keep it") {
			t.Errorf("error %v", err)
		}
	})
}

// TestCommandRights: a user with the role of the record alone can pause and resume.
func TestCommandRights(t *testing.T) {
	bubble(t, Config{}, func(r *rig) {
		r.grant("", "records")
		for _, args := range []string{"-pause all,unchecked", "-pause namespace=prod,unchecked", "-resume all"} {
			if err := r.command(args); err != nil {
				t.Errorf("%s: %v", args, err)
			}
		}
		if got := r.record(); !strings.Contains(got, `"pauses":[{"scope":"prod",`) {
			t.Errorf("the record is %s", got)
		}
	})
}

// TestReadmePause: the commands of README.md pause the program without its binary. The facts
// of the brake come back, although the patch replaces the record.
func TestReadmePause(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	create := regexp.MustCompile(`kubectl create configmap ownergraph-collector -n kube-system --from-literal=value='(.*)'\n`).FindSubmatch(text)
	patch := regexp.MustCompile(`kubectl patch configmap ownergraph-collector -n kube-system --type=merge -p '(.*)'\n`).FindSubmatch(text)
	if create == nil || patch == nil {
		t.Fatal("README.md has no such commands")
	}
	bubble(t, parsed(t, recordArgs+"-act -brake 2"), func(r *rig) {
		first := object{"kind": "ConfigMap", "apiVersion": "v1", "data": map[string]any{"value": string(create[1])},
			"metadata": map[string]any{"namespace": "kube-system", "name": "ownergraph-collector"}}
		r.set(func() { r.commit(r.of("configmaps"), "", first) })
		r.start(r.program)
		r.crowd("a", 1)
		r.crowd("b", 3)
		pass(11 * time.Second)
		if r.left("a") != 1 {
			t.Error("the program is not paused by the first command")
		}
		if err := r.command("-resume all"); err != nil {
			t.Fatal(err)
		}
		pass(11 * time.Second)
		if r.left("a") != 0 || r.left("b") != 3 || !strings.Contains(r.record(), `"state":"tripped"`) {
			t.Errorf("%d and %d are left, the record is %s", r.left("a"), r.left("b"), r.record())
		}
		r.kubectlMerge(patch[1])
		pass(11 * time.Second)
		r.crowd("c", 1)
		pass(11 * time.Second)
		if got := r.record(); r.left("c") != 1 || !strings.Contains(got, `"state":"tripped"`) || !strings.Contains(got, `"all":true`) {
			t.Errorf("%d are left, the record is %s", r.left("c"), got)
		}
	})
}

// kubectlMerge patches the record as kubectl patch --type=merge does.
func (r *rig) kubectlMerge(patch []byte) {
	r.t.Helper()
	client, err := core.NewForConfig(r.server)
	if err == nil {
		_, err = client.ConfigMaps("kube-system").Patch(r.t.Context(), "ownergraph-collector", types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		r.t.Fatal(err)
	}
}
