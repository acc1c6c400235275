package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// TestExplainAgrees checks X1 and X2 in random worlds, whenever an engine hands out a call.
// Each explanation has the decision that the engine takes if it decides the object now.
// Each chain ends in a listed end. The explanation changes nothing, and reads back.
func TestExplainAgrees(t *testing.T) {
	compared := 0
	for _, style := range []style{tight, wild} {
		rounds(t, 2, func(t *rapid.T, engines int) {
			d := draws{t, size{style: style, engines: engines, objects: 8, actions: 8}}
			set := d.settings()
			h, err := begin(set, d.world(set))
			if err != nil {
				t.Fatal(err)
			}
			h.w.OnCall = func(side int, _ engine.Call) {
				for _, o := range h.w.Store.Objects() {
					n, err := explained(h.w.Sides[side].Engine, o.Key)
					if compared += n; err != nil {
						t.Fatal(h.fail(err))
					}
				}
			}
			if err := h.do("run"); err != nil {
				t.Fatal(h.fail(err))
			}
			d.wander(h, d.faults())
		})
	}
	if compared < 1000 {
		t.Errorf("%d decisions were compared: the test sees too few", compared)
	}
	t.Logf("%d decisions compared", compared)
}

// explained checks the laws for one object. It returns the number of decisions compared.
func explained(e *engine.Engine, key graph.Key) (compared int, err error) {
	before := probe.Fingerprint(e, nil)
	x, err := e.Explain(key)
	if err != nil { // the engine has not observed it
		return 0, nil
	}
	if probe.Fingerprint(e, nil) != before {
		return 0, fmt.Errorf("the explanation of %s has changed the engine", key)
	}
	if err := bounded(&x); err != nil {
		return 0, fmt.Errorf("the explanation of %s: %w:\n%s", key, err, x.Text())
	}
	text, err := json.Marshal(x)
	if err != nil {
		return 0, err
	}
	var back explain.Explanation
	if err := json.Unmarshal(text, &back); err != nil {
		return 0, err
	}
	if again, err := json.Marshal(back); err != nil || string(again) != string(text) {
		return 0, fmt.Errorf("the explanation %s reads back as %s, error %w", text, again, err)
	}
	if x.State != explain.Exists {
		return 0, nil
	}
	d, ok := probe.Decide(probe.Clone(e), key)
	if !ok {
		return 0, nil // it waits for an event, or a read of it is due
	}
	want := probe.Explained(d)
	if !reflect.DeepEqual(x.Decision, want) {
		return 0, fmt.Errorf("%s is explained as %+v, and the engine decides %+v", key, x.Decision, want)
	}
	return 1, nil
}

// bounded checks X2: each chain has an end, and the explanation is bounded.
func bounded(x *explain.Explanation) error {
	n, err := 0, error(nil)
	var walk func(all []explain.Condition)
	walk = func(all []explain.Condition) {
		for i := range all {
			c := &all[i]
			n++
			switch {
			case len(c.For) == 0 && c.End == explain.EndUnset:
				err = fmt.Errorf("the chain stops at %s without an end", c.Key)
			case len(c.For) > 0 && c.End != explain.EndUnset:
				err = fmt.Errorf("the chain goes on after an end at %s", c.Key)
			case c.End == explain.Ring && len(c.Ring) == 0:
				err = fmt.Errorf("a ring at %s has no members", c.Key)
			case c.End == explain.Cut && x.Cut == 0:
				err = fmt.Errorf("the chain is cut at %s, and nothing is counted", c.Key)
			case c.Reason == policy.ReasonUnset:
				err = fmt.Errorf("a condition at %s has no reason", c.Key)
			}
			walk(c.For)
		}
	}
	walk(x.Wait)
	switch {
	case n > 200:
		return fmt.Errorf("%d conditions", n)
	case n == 0 && x.State != explain.Gone:
		return fmt.Errorf("no condition")
	}
	return err
}
