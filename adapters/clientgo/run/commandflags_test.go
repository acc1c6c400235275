package run

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

func TestCommandFlags(t *testing.T) {
	brake := func(n int) Config {
		return Config{Engine: ownergraph.Config{Brake: engine.Brake{PerCascade: n}}}
	}
	does := func(c Command) Config { return Config{Command: c} }
	for _, c := range []struct {
		args   string
		want   Config
		reason string
	}{
		{"-brake 5", brake(5), "a limit"},
		{"-brake 0", Config{NoBrake: true}, "none"},
		{"-brake 0 -brake 7", brake(7), "the last one counts"},
		{"-record ns/ownergraph-gc", Config{Engine: ownergraph.Config{Record: "gc"}, Store: clientgo.Config{RecordNamespace: "ns"}}, "the ConfigMap has its prefix"},
		{"-record ns/ownergraph-gc -record=", Config{}, "no record"},
		{"-pause all", does(Command{Verb: Pause, What: engine.Extent{All: true}}), "everything"},
		{"-pause kind=apps/Deployment", does(Command{Verb: Pause, What: engine.Extent{Kind: "apps/Deployment"}}), "a kind"},
		{"-pause namespace=prod,unchecked", does(Command{Verb: Pause, What: engine.Extent{InScope: true, Scope: "prod"}, Unchecked: true}), "before the first collector"},
		{"-resume namespace=", does(Command{Verb: Resume, What: engine.Extent{InScope: true}}), "the objects without a namespace"},
		{"-approve uid=u,atmost=5,for=2h", does(Command{Verb: Approve, Cascade: "u", AtMost: 5, For: 2 * time.Hour}), "one cascade"},
		{"-approve all,atmost=5", does(Command{Verb: Approve, All: true, AtMost: 5}), "all, for an hour"},
		{"-refuse uid=u,orphan", does(Command{Verb: Refuse, Cascade: "u", Refusal: engine.OrphanHeld}), "without owners"},
		{"-refuse all,keep", does(Command{Verb: Refuse, All: true, Refusal: engine.KeepHeld}), "as they are"},
		{"-retire example.org/x", does(Command{Verb: Retire, Finalizer: "example.org/x"}), "a finalizer"},
	} {
		if got := parsed(t, c.args); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v: %s", c.args, got, c.reason)
		}
	}
}

func TestCommandFlagsRefused(t *testing.T) {
	for _, c := range []struct{ args, want, reason string }{
		{"-brake -1", `"-1" is no number of objects`, "a limit is not negative"},
		{"-brake many", `"many" is no number of objects`, "a number is one"},
		{"-record gc", "is not of the form namespace/ownergraph-name", "it takes both"},
		{"-record ns/gc", "is not of the form namespace/ownergraph-name", "the prefix is part of the name"},
		{"-record ns/ownergraph-", "is not of the form", "a record has a name"},
		{"-pause Pod", `"Pod" is no term of this flag, as all, kind=apps/Deployment or namespace=prod`, "a kind has its word"},
		{"-pause all,kind=Pod", "it takes one term", "a pause has one range"},
		{"-pause unchecked", "it takes a range", "a pause has a range"},
		{"-resume unchecked", `"unchecked" is no term`, "only a pause has a check"},
		{"-pause kind=apps/*", "it names no kind", "a range has no pattern"},
		{"-approve all", "it takes atmost=NUMBER", "no approval is without a bound"},
		{"-approve atmost=5", "it takes uid=UID of a root, or all", "all is said"},
		{"-approve all,uid=u,atmost=5", `"uid=u" is no term`, "one or all"},
		{"-approve all,atmost=0", `"atmost=0" is no term`, "a bound is positive"},
		{"-approve all,atmost=5,for=-1h", `"for=-1h" is no term`, "so is a time"},
		{"-approve all,atmost=5,keep", `"keep" is no term of this flag, as uid=UID`, "that is a refusal"},
		{"-refuse all", "it takes keep or orphan", "the answer is said"},
		{"-refuse all,keep,atmost=5", `"atmost=5" is no term`, "a refusal has no bound"},
		{"-retire=", "it takes the name of a finalizer", "a name"},
		{"-pause all -resume all", "one of -pause", "one command"},
	} {
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		new(Config).RegisterFlags(f)
		if err := f.Parse(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q: %s", c.args, err, c.want, c.reason)
		}
	}
}

// TestCommandsRefused: a command needs what it changes.
func TestCommandsRefused(t *testing.T) {
	for _, c := range []struct {
		config       Config
		want, reason string
	}{
		{Config{Command: Command{Verb: Pause, What: engine.Extent{All: true}}}, "Command.pause: it changes the record, and Engine.Record (flag -record) names none", "no record"},
		{Config{Command: Command{Verb: Approve}, Engine: ownergraph.Config{Record: "x"}}, "Command.approve: it takes uid=UID", "no cascade"},
		{Config{Command: Command{Verb: 9}}, "Command.verb(9): no verb of the list", "no verb"},
		{Config{NoBrake: true, Command: Command{Verb: Refuse, All: true, Refusal: engine.KeepHeld}, Engine: ownergraph.Config{Record: "x"}},
			"Command.refuse: it answers for a brake", "no brake"},
		{Config{NoBrake: true, Engine: ownergraph.Config{Brake: engine.Brake{PerCascade: 1}}}, "NoBrake: set, and", "both"},
	} {
		if _, err := c.config.filled(); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: error %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestBrakeUsage: the usage has the default limit and its change, and all commands.
func TestBrakeUsage(t *testing.T) {
	var out bytes.Buffer
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(&out)
	new(Config).RegisterFlags(f)
	f.PrintDefaults()
	for _, want := range []string{"-brake number", "(default 1000)", "0 is no limit", "-record namespace/ownergraph-name", "-pause range", "-resume range", "-approve cascade", "-refuse cascade", "-retire finalizer"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "panic") {
		t.Errorf("a flag's zero value panics:\n%s", &out)
	}
}
