package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestStepsText: a line has the actor, the action in words, and the steps before it.
func TestStepsText(t *testing.T) {
	k, many := key("a"), make([]graph.Key, 10)
	for i := range many {
		many[i] = key(fmt.Sprintf("o/%d@u", i))
	}
	for _, c := range []struct {
		step         plan.Step
		want, reason string
	}{
		{plan.Step{Actor: plan.User, Action: policy.Delete, Key: k, Propagation: graph.Orphan, Wave: 1}, "1. wave 1: the user deletes a/a and orphans its dependents", "the request"},
		{plan.Step{Actor: plan.Engine, Action: policy.Delete, Key: k, Propagation: graph.Background, Reason: policy.OwnersGone, Removes: true, Wave: 2, After: []int{1}},
			"1. wave 2: the engine deletes a/a in the background, which removes it (all owners are gone), after 1", "a decision has its reason"},
		{plan.Step{Actor: plan.Engine, Action: policy.Release, Key: k, Finalizer: "f", Handler: true, After: []int{1, 2}}, "1. wave 0: the engine runs the handler of f for a/a, after 1 and 2", "a run of a handler is no write"},
		{plan.Step{Actor: plan.Engine, Action: policy.Release, Key: k, Finalizer: "f", After: []int{1, 2}, AfterMore: 7, Fence: true}, "takes the finalizer f off a/a, after 1, 2 and 7 more, behind a fence", "all that it waits for"},
		{plan.Step{Actor: plan.Engine, Action: policy.Release, Key: k, Finalizer: "f", AfterMore: 7}, "off a/a, after 7 more", "a count alone"},
		{plan.Step{Actor: plan.Controller, Action: policy.Release, Key: k, Finalizer: "f\n"}, `a controller takes the finalizer "f\n" off a/a`, "a name cannot break a line"},
		{plan.Step{Actor: plan.Container, Action: policy.Delete, Key: k, Removes: true}, "the actor of the container deletes a/a, which removes it", "no engine deletes a member"},
		{plan.Step{Actor: plan.Grace, Action: policy.Delete, Key: k, Removes: true}, "the grace period of a/a ends, which removes it", "the store ends it, without a delete"},
		{plan.Step{Actor: plan.Engine, Action: policy.Attach, Key: k, Finalizer: "f"}, "puts the finalizer f on a/a", "the sweep of a holder"},
		{plan.Step{Actor: plan.Engine, Action: policy.Orphan, Key: k, Owners: many[:1]}, "orphans a/a from o/0\n", "the owner that leaves"},
		{plan.Step{Actor: plan.Engine, Action: policy.Trim, Key: k, Owners: many[:2]}, "trims the references of a/a to o/0, o/1\n", "the references"},
		{plan.Step{Actor: plan.Engine, Action: policy.Unblock, Key: k, Owners: many}, "o/7 and 2 more\n", "a line is bounded"},
		{plan.Step{Key: k}, "the unset takes the action unset on a", "the zero value has a line"},
		{plan.Step{After: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, AfterMore: 1}, "7, 8 and 2 more", "a line is bounded"},
	} {
		if got := (plan.Plan{Steps: []plan.Step{c.step}}).StepsText(); !strings.Contains(got, c.want) {
			t.Errorf("%q is not in\n%s: %s", c.want, got, c.reason)
		}
	}
}

// TestStepsTextBounded: the text has 1,000 steps and counts all others.
func TestStepsTextBounded(t *testing.T) {
	for _, c := range []struct {
		steps, truncated int
		want, reason     string
	}{
		{0, 0, "no steps\n", "an empty text is no answer"},
		{0, 3, "... and 3 more steps left out by the limit\n", "never silently"},
		{1000, 0, "\n1000. wave 0", "the last one that fits"},
		{1001, 0, "\n... and 1 more step\n", "the first one that does not fit"},
		{5000, 1, "\n... and 4000 more steps\n... and 1 more step left out by the limit\n", "both counts"},
	} {
		got := plan.Plan{Steps: make([]plan.Step, c.steps), StepsTruncated: c.truncated}.StepsText()
		if !strings.Contains(got, c.want) || strings.Count(got, "\n") > 1002 {
			t.Errorf("%d steps: %q is not in %d lines: %s", c.steps, c.want, strings.Count(got, "\n"), c.reason)
		}
	}
}
