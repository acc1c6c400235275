package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/internal/proof/e2e/server"
)

// TestKit runs the kit's laws on a real server with three kinds of custom resources and
// every hook. Compactions, restores and rights are real, and so are connections that
// break. The test lists the laws that are broken, with the reasons. The list is that
// of adapters/clientgo for the simulated server of its own tests.
func TestKit(t *testing.T) {
	t.Parallel() // it has a server of its own
	byNature := map[string]string{
		"rewind/versions":    "a restored etcd counts on from where it was, so that a version may stand for two states",
		"records/rewind":     "the version of a record is that of its ConfigMap",
		"rewind/late-watch":  "only versions show it, and no client has seen a lost version here",
		"reference/vanished": "a kind that was served before keeps its meaning",
	}
	report := storetest.Judge(t.Context(), storetest.Config{
		Patience: 30 * time.Second, New: startKit(t).subject,
		// Of all kinds only pods have grace periods, and custom resources have none. No
		// hook here fails the server's commits, or the whole server.
		Without: []storetest.Promise{storetest.GracePeriods, storetest.FailedCommits, storetest.Outages},
	})
	t.Log(report)
	for _, r := range report.Results {
		if _, known := byNature[r.Law]; known {
			if r.Outcome != storetest.Broken {
				t.Errorf("%s: %v, though it is said to be broken by nature", r.Law, r.Outcome)
			}
			continue
		}
		if r.Outcome != storetest.Kept && r.Outcome != storetest.NotOwed && !resting(r, byNature) {
			t.Errorf("%s: %v: %s", r.Law, r.Outcome, r.Detail)
		}
	}
	if err := report.Err(); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("the report: %v", err)
	}
}

// TestKitHistories runs the kit's random histories. It compares the store with a map,
// and our engine on it under faults with the specification. TestKit has tried the laws.
// This test leaves out those that take a hook.
func TestKitHistories(t *testing.T) {
	t.Parallel() // it has a server of its own
	k := startKit(t)
	storetest.Test(t, storetest.Config{
		Patience: 15 * time.Second, New: func(tb storetest.TB) storetest.Subject { return forgiving(k.subject(tb)) },
		Without: []storetest.Promise{
			storetest.GracePeriods, storetest.Compaction, storetest.BrokenConnections, storetest.Rewinds,
			storetest.SickKinds, storetest.ChangingKinds, storetest.Durability,
			storetest.SecondHandles, storetest.Outages, storetest.FailedCommits,
		},
	})
}

// resting reports whether a law is not proven because it rests on a law that is broken
// by nature.
func resting(r storetest.Result, byNature map[string]string) bool {
	for name := range byNature {
		if r.Outcome == storetest.Unproven && strings.Contains(r.Detail, name) {
			return true
		}
	}
	return false
}

// startKit starts a server of the kit's own, which it compacts and restores.
func startKit(t *testing.T) *kit {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := server.Start(ctx, server.Config{Users: []string{kitUser}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return newKit(enter(t, s))
}
