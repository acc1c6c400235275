package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// braked returns the settings of a program whose brake holds cascades of more than 2 objects.
func braked() ownergraph.Config {
	return ownergraph.Config{Record: "app", Brake: engine.Brake{PerCascade: 2}}
}

// deleteBraked deletes the team blue with three objects below it, while a program runs. It
// waits until the record has the cascade that the program's brake holds.
func (d *database) deleteBraked(t *testing.T, flags ...string) {
	t.Helper()
	t.Run("with the program", func(t *testing.T) { // each program counts an approval on its own
		d.program(t, braked())
		if err := d.Delete(t.Context(), d.made["blue"].Key, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the record has the cascade", func() bool {
			return call(t, "", append(flags, "approve", "--record", "app")...).code == printing.ExitFound
		})
	})
}

// record returns the record with its version.
func (d *database) record(t *testing.T) string {
	t.Helper()
	r, err := d.ReadRecord(t.Context(), "app")
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Version) + " " + string(r.Value)
}

// apart runs the command as a process of its own.
func apart(t *testing.T, args ...string) result {
	t.Helper()
	cmd := process(t, args...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// TestBrake: answers of another process reach a program that begins later. A program that runs
// reads the record every 10 s: the tests of the library check that.
func TestBrake(t *testing.T) {
	d := newSQLite(t)
	if got := apart(t, "approve", "--record", "app", "--store", d.flag); got.code != printing.ExitDone || got.stdout != "in record \"app\": no cascade is held\n" {
		t.Fatalf("no cascade: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	uid := string(d.made["blue"].UID)
	d.deleteBraked(t, "--store", d.flag)
	before := d.record(t)
	listed := apart(t, "approve", "--record", "app", "--store", d.flag)
	if listed.code != printing.ExitFound || listed.stdout != "team/blue, uid \""+uid+"\": held\n" {
		t.Fatalf("listed: exit %d\n%s%s", listed.code, listed.stdout, listed.stderr)
	}
	if after := d.record(t); after != before {
		t.Errorf("the list changes the record from %s to %s", before, after)
	}
	for _, args := range [][]string{{"approve", "--at-most", "5"}, {"refuse", "--keep"}} {
		got := apart(t, append(args, "--record", "app", "--uid", "none", "--store", d.flag)...)
		if got.code != printing.ExitFailed || !strings.Contains(got.stderr, "the brake holds no such cascade") {
			t.Errorf("%v: exit %d\n%s", args, got.code, got.stderr)
		}
	}
	got := apart(t, "refuse", "--all", "--keep", "--record", "app", "--store", d.flag)
	if got.code != printing.ExitDone || got.stdout != "in record \"app\": 1 cascade refused: keep\n" {
		t.Errorf("refuse: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = apart(t, "refuse", "--record", "app", "--store", d.flag)
	if got.code != printing.ExitDone || got.stdout != "team/blue, uid \""+uid+"\": refused: keep\n" {
		t.Errorf("list: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = apart(t, "approve", "--uid", uid, "--at-most", "2", "--for", "10m", "--record", "app", "--store", d.flag)
	if got.code != printing.ExitDone || got.stdout != "in record \"app\": 1 cascade approved for 10m0s, at most 2 deletes each\n" {
		t.Errorf("approve: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	later := d.program(t, braked())
	eventually(t, "two objects of three go", func() bool { return len(d.left(t)) == 2 })
	if _, err := later.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := d.left(t); len(left) != 2 || !slices.Contains(left, "red") {
		t.Errorf("left: %v", left)
	}
}

// TestBrakeOrphan: a refusal with orphan needs a confirmation, and lets the objects go from
// their owner.
func TestBrakeOrphan(t *testing.T) {
	d := newSQLite(t)
	d.deleteBraked(t, "--store", d.flag)
	args := []string{"refuse", "--all", "--orphan", "--record", "app", "--store", d.flag}
	if got := call(t, "no\n", args...); got.code != printing.ExitFailed {
		t.Errorf("not confirmed: exit %d\n%s", got.code, got.stderr)
	}
	if got := call(t, "yes\n", args...); got.code != printing.ExitDone {
		t.Errorf("confirmed: exit %d\n%s", got.code, got.stderr)
	}
	d.program(t, braked())
	eventually(t, "the project has no owner", func() bool { o, _ := d.get(t, "site"); return len(o.Owners) == 0 })
	if left := d.left(t); !slices.Equal(left, []string{"red", "shop", "site", "todo"}) {
		t.Errorf("left: %v", left)
	}
}

// TestDeleteUnderBrake: the collector of delete --act leaves a cascade that the record has.
func TestDeleteUnderBrake(t *testing.T) {
	d := newSQLite(t)
	d.deleteBraked(t, "--store", d.flag)
	got := call(t, "", "delete", "team/red", "--yes", "--act", "--record", "app", "--store", d.flag)
	if left := d.left(t); got.code != printing.ExitDone || !slices.Equal(left, []string{"shop", "site", "todo"}) {
		t.Errorf("exit %d, left %v\n%s%s", got.code, left, got.stdout, got.stderr)
	}
}
