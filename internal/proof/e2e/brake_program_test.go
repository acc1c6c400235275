package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	program "github.com/ownergraph/ownergraph/adapters/clientgo/run"
	"github.com/ownergraph/ownergraph/graph"
)

// command makes another process of package run's program carry out a command.
func (w *world) command(flags string) {
	w.t.Helper()
	w.commandAs(w.server.Admin(), flags)
}

// commandAs is command for a user of the server.
func (w *world) commandAs(user *rest.Config, flags string) {
	w.t.Helper()
	c := program.Config{Logger: slog.New(slog.NewTextHandler(w.t.Output(), nil))}
	f := flag.NewFlagSet("program", flag.ContinueOnError)
	c.RegisterFlags(f)
	if err := f.Parse(strings.Fields(flags)); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	if err := program.Run(ctx, user, c); err != nil {
		w.t.Error(err)
	}
}

// shows waits until a figure of the program has a value.
func (w *world) shows(p *program.Program, name, want string) {
	w.t.Helper()
	w.until("wait for "+name+" "+want, func() error {
		if got := metric(p, "ownergraph_"+name); got != want {
			return fmt.Errorf("it is %s: %w", got, errNotYet)
		}
		return nil
	})
}

// TestProgramBrake: package run's program brakes a cascade and keeps the trip over a restart, in
// a ConfigMap. Commands of other processes approve and refuse. Events and metrics show it.
func TestProgramBrake(t *testing.T) {
	w := begin(t)
	record := " -record " + w.ns + "/ownergraph-" + w.ns
	large, other := w.create(configMap, "large"), w.create(configMap, "other")
	below, kept := w.several(5, secret, "below", owned(large)), w.several(5, secret, "kept", owned(other))
	p, end := w.runUntil("-act -events -brake 3" + record)
	for _, o := range []object{large, other} {
		w.delete(o, background)
		w.goes(o)
		if got := w.eventAbout(o, "Braked"); !strings.Contains(got, "the limit is 3 objects (flag -brake); -approve lets them go") {
			t.Errorf("of a trip: %q", got)
		}
	}
	w.shows(p, "braked_cascades", "2")
	w.recordHas(`"tripped"`, 2)
	end()
	p, _ = w.runUntil("-act -events -brake 4" + record) // the name of a cascade of five is not counted anew
	w.shows(p, "braked_cascades", "2")
	w.shows(p, "brake_trips_total", "0")
	w.command("-approve atmost=5,uid=" + string(large.uid) + record)
	w.goes(below...)
	if got := w.eventAbout(large, "DeletionApproved"); got != "Normal: its deletion is approved" {
		t.Errorf("of an approval: %q", got)
	}
	w.command("-refuse all,keep" + record)
	if got := w.eventAbout(other, "CascadeRefused"); got != "Warning: a user refused the cascade" {
		t.Errorf("of a refusal: %q", got)
	}
	w.shows(p, "brake_refusals_total", "1")
	w.stays(kept...)
}

// TestProgramPause: a command pauses package run's program, and so does kubectl with the patch of
// README.md. Another command ends each pause.
func TestProgramPause(t *testing.T) {
	w := begin(t)
	record := " -record " + w.ns + "/ownergraph-" + w.ns
	p, _ := w.runUntil("-act -events" + record)
	pauses := func(n int, extent string) (object, object) {
		w.shows(p, `pauses{extent="`+extent+`"}`, "1")
		owner := w.create(configMap, fmt.Sprint("owner-", n))
		child := w.create(secret, fmt.Sprint("child-", n), owned(owner))
		w.delete(owner, background)
		w.goes(owner)
		return owner, child
	}
	w.shows(p, `pauses{extent="scope"}`, "0")
	m := object{kind: configMap, ns: w.ns, name: "ownergraph-" + w.ns}
	w.until("wait for the announcement in the record", func() error {
		u, err := w.of(m).Get(w.ctx, m.name, metav1.GetOptions{})
		if text := fmt.Sprint(u); err == nil && !strings.Contains(text, "announced") {
			err = fmt.Errorf("it is %s: %w", text, errNotYet)
		}
		return err
	})
	w.command("-pause namespace=" + w.ns + record)
	_, child := pauses(1, "scope")
	w.stays(child)
	w.command("-resume namespace=" + w.ns + record)
	w.goes(child)
	w.kubectlPatch(m, types.MergePatchType, `{"data":{"value":"{\"version\":1,\"pauses\":[{\"all\":true}]}"}}`)
	_, child = pauses(2, "all")
	w.stays(child)
	w.command("-resume all" + record)
	w.goes(child)
	w.until("wait for the Events", func() error {
		list, err := w.in(event, w.ns).List(w.ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + m.name})
		if err != nil {
			return err
		}
		if n := len(list.Items); n != 4 {
			return fmt.Errorf("%d Events: %w", n, errNotYet)
		}
		return nil
	})
}

// TestProgramRetire: a command takes the finalizers of a former guard off.
func TestProgramRetire(t *testing.T) {
	w := begin(t)
	root := w.create(configMap, "root")
	_, end := w.runUntil("-act -guard always,kind=ConfigMap,name=root,namespace=" + w.ns)
	w.carries(root, graph.FinalizerHold, graph.FinalizerNew)
	end()
	w.command("-retire " + graph.FinalizerHold)
	w.delete(root, background)
	w.goes(root)
}

// recordHas waits until the record has a text n times.
func (w *world) recordHas(text string, n int) {
	w.t.Helper()
	w.until("wait for the record", func() error {
		o, err := w.in(configMap, w.ns).Get(w.ctx, "ownergraph-"+w.ns, metav1.GetOptions{})
		if err != nil {
			return errors.Join(err, errNotYet)
		}
		data, _ := o.Object["data"].(map[string]any)
		if value, _ := data["value"].(string); strings.Count(value, text) != n {
			return fmt.Errorf("it is %s: %w", value, errNotYet)
		}
		return nil
	})
}
