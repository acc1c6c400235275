package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/internal/proof/processes"
	"github.com/ownergraph/ownergraph/internal/servers"
)

// collectorProgram builds examples/collector, and returns its path.
func (w *world) collectorProgram() string {
	w.t.Helper()
	path := filepath.Join(audited, "collector")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	cmd := exec.CommandContext(w.ctx, "go", "build", "-o", path, ".")
	cmd.Dir = "../../../examples/collector"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("build the collector: %v\n%s", err, out)
	}
	return path
}

// Start starts the program of examples/collector.
func (s *sharesSite) Start(ctx context.Context, name string, r processes.Role, z processes.Size) (*processes.Process, error) {
	args := []string{"-kubeconfig", s.w.kubeconfigOf(s.w.server.User(name)), "-act", "-listen", "127.0.0.1:0", "-workers", strconv.Itoa(z.Workers)}
	switch r {
	case processes.RoleMember:
		args = append(args, "-share", "auto", "-share-group", s.w.ns+"/gc", "-share-member", name, "-share-lease", z.Lease.String())
	case processes.RoleLeader:
		args = append(args, "-lease", s.w.ns+"/former", "-lease-duration", "20s") // a program that loses the Lease ends
	}
	p, err := servers.Launch(ctx, s.dir, name, s.program, args...)
	if err != nil {
		return nil, err
	}
	log := filepath.Join(s.dir, name+".log")
	return &processes.Process{Process: p, Ask: func(ctx context.Context) (processes.Status, error) { return askProgram(ctx, log) }}, nil
}

var servesAt = regexp.MustCompile(`msg="serving health and metrics" address=(\S+)`)

// askProgram reads the metrics of a program, whose log has the address.
func askProgram(ctx context.Context, log string) (s processes.Status, err error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return s, err
	}
	at := servesAt.FindSubmatch(text)
	if at == nil {
		return s, errNotYet
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/metrics", at[1]), nil)
	if err != nil {
		return s, err
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return s, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		return s, err
	}
	return statusOf(string(body)), nil
}

// statusOf reads metrics. A metric without a sample is 0.
func statusOf(text string) processes.Status {
	value := func(name string) int {
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, "ownergraph_"+name+" "); ok {
				v, _ := strconv.ParseFloat(strings.TrimSpace(rest), 64)
				return int(v)
			}
		}
		return 0
	}
	calls := func(of string) int { return value(`started_calls_total{type="` + of + `"}`) }
	return processes.Status{
		Members: value("group_members"), Slots: value("share_slots"), Gap: value("group_gap_slots"),
		Written: calls("delete") + calls("patch"), Reads: calls("read"), Fences: calls("fence"),
		Synced: value(`kinds{health="listed"}`) > 0 && value(`kinds{health="unlisted"}`) == 0,
	}
}
