package promstats

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/policy"
)

// board is the part of a dashboard that the test reads.
type board struct {
	Panels []struct {
		ID      int
		Type    string
		Title   string
		Targets []struct{ Expr string }
		GridPos struct{ H, W, X, Y int }
	}
	Templating struct {
		List []struct {
			Name  string
			Query any
		}
	}
}

func readBoard(t *testing.T) (b board) {
	t.Helper()
	text, err := os.ReadFile("deploy/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// known returns the names of the samples of all metrics, and the labels of each.
func known(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{namespace + "call_duration_seconds_bucket": "type,le", namespace + "cascade_duration_seconds_bucket": "le"}
	for _, f := range append(families(), groupFamilies()...) {
		if f.name != fenceTime {
			out[namespace+f.name] = f.labels
		}
	}
	for _, name := range []string{fenceTime, "call_duration_seconds", "cascade_duration_seconds"} {
		out[namespace+name+"_sum"], out[namespace+name+"_count"] = "", ""
	}
	return out
}

var metricName = regexp.MustCompile(`ownergraph_\w+`)

// unknown returns the metrics of a text that do not exist.
func unknown(names map[string]string, text string) (out []string) {
	for _, name := range metricName.FindAllString(text, -1) {
		if _, ok := names[name]; !ok {
			out = append(out, name)
		}
	}
	return out
}

// TestDashboard: each query of the dashboard is valid and names existing metrics. The panels
// have different ids and do not overlap.
func TestDashboard(t *testing.T) {
	b, names := readBoard(t), known(t)
	var rules strings.Builder
	rules.WriteString("groups:\n- name: queries\n  rules:\n")
	ids, cells, queries := map[int]bool{}, map[[2]int]string{}, 0
	for _, p := range b.Panels {
		if ids[p.ID] || p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %q: id %d, %d queries", p.Title, p.ID, len(p.Targets))
		}
		ids[p.ID] = true
		for i := range p.GridPos.H * p.GridPos.W {
			cell := [2]int{p.GridPos.X + i%p.GridPos.W, p.GridPos.Y + i/p.GridPos.W}
			if cells[cell] != "" || cell[0] >= 24 {
				t.Fatalf("panel %q overlaps %q, or is too wide", p.Title, cells[cell])
			}
			cells[cell] = p.Title
		}
		for _, q := range p.Targets {
			queries++
			if bad := unknown(names, q.Expr); len(bad) > 0 || !metricName.MatchString(q.Expr) {
				t.Errorf("panel %q: %q: no such metrics: %q", p.Title, q.Expr, bad)
			}
			expr := strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$instance", ".*").Replace(q.Expr)
			fmt.Fprintf(&rules, "  - record: query:%d\n    expr: %q\n", queries, expr)
		}
	}
	if queries < 20 {
		t.Errorf("%d queries were found", queries)
	}
	for _, v := range b.Templating.List {
		if bad := unknown(names, fmt.Sprint(v.Query)); len(bad) > 0 {
			t.Errorf("variable %s: no such metrics: %q", v.Name, bad)
		}
	}
	file := filepath.Join(t.TempDir(), "queries.yaml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, ".", promtool(t), "check", "rules", file); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestAlerts: the rules are valid and name existing metrics. They fire in the cases of
// deploy/alerts_test.yaml, and only there. Rules with another bound fail these cases.
func TestAlerts(t *testing.T) {
	text, err := os.ReadFile("deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if bad := unknown(known(t), string(text)); len(bad) > 0 {
		t.Errorf("no such metrics: %q", bad)
	}
	if n := strings.Count(string(text), "- alert:"); n != 14 {
		t.Errorf("%d alerts, want 14", n)
	}
	if out, err := command(t, "deploy", promtool(t), "check", "rules", "alerts.yaml"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := command(t, "deploy", promtool(t), "test", "rules", "alerts_test.yaml"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	cases, err := os.ReadFile("deploy/alerts_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, reason string }{
		{`{status="stuck"}) > 0`, `{status="stuck"}) > 3`, "three stuck objects raise no alert"},
		{`status="stuck"`, `status=~"stuck|pending"`, "pending objects raise an alert"},
		{"for: 15m", "for: 1m", "an alert comes too early"},
		{"kind_sick > 0", "kind_sick > 1", "one sick kind raises no alert"},
		{"> 0.1", "> 0.3", "a fifth of the calls may fail"},
		{"error|timeout", "error|timeout|conflict", "conflicts raise an alert"},
		{`rate(ownergraph_calls_total{result=~"error|timeout", type!="handle"}`, `rate(ownergraph_calls_total{result=~"error|timeout"}`, "handlers raise the alert of calls"},
		{"or ownergraph_braked_cascades > 0", "", "the brake raises no alert"},
		{"for: 1h", "for: 5m", "a short pause raises an alert"},
		{"> 1800", "> 60", "a short queue raises the alert of unfinished objects"},
		{"> 1800", "> 18000", "an object that is unfinished for hours raises no alert"},
		{"quantile_over_time(0.5, ", "max_over_time(", "a try of an object that is held otherwise raises an alert"},
		{"quantile_over_time(0.5, ", "min_over_time(", "a moment in which the object is held ends the alert"},
		{"> 900", "> 60", "a compaction that failed once raises an alert"},
		{"> 900", "> 9000", "a log that is not cut raises no alert for two hours"},
		{"absent(ownergraph_build_info)", "absent(ownergraph_build_info) > 1", "an absent collector raises no alert"},
		{`reason!~"Protected|`, `reason!~"`, "an object that a guard protects raises an alert"},
		{"|OtherShare", "", "an object of another share raises an alert"},
		{"unless ignoring (extent) (ownergraph_pauses{extent=\"all\"} > 0)", "", "a paused group raises the alert of gaps"},
		{"min without (instance, pod)", "max without (instance, pod)", "a program without a lease raises the alert of gaps"},
		{"          ) > 0\n        for: 5m", "          ) > 0\n        for: 1m", "a crash raises the alert of gaps"},
		{"          ) > 0\n        for: 5m", "          ) > 1000\n        for: 5m", "a gap of a member raises no alert"},
		{"joining|lost", "joining", "a lost lease raises no alert"},
		{"joining|lost", "out|joining|lost", "a program that cannot work raises the alert of renewals"},
		{"joining|lost\"}) > 0\n        for: 5m", "joining|lost\"}) > 0\n        for: 1m", "a member that joins raises an alert"},
		{"sum without (state) (ownergraph_share_state{state=~\"joining|lost\"})", "ownergraph_share_state{state=~\"joining|lost\"}", "the alert begins anew with each state"},
		{"> 86400", "> 864000", "an object may wait for two days"},
		{"> 86400", "> 3600", "an object that waits for hours raises an alert"},
		{"or (ownergraph_duplicate_uids_total > 0 unless ownergraph_duplicate_uids_total offset 1h)", "", "shared UIDs at the start raise no alert"},
		{" unless ownergraph_duplicate_uids_total offset 1h", "", "the alert of shared UIDs never ends"},
		{"[15m]) > 10", "[15m]) > 2", "a few contradictions raise an alert"},
		{"[15m]) > 10", "[15m]) > 100", "many contradictions raise no alert"},
		{"[15m]) > 30", "[15m]) > 90", "slow fences raise no alert"},
		{"[15m]) > 30", "[15m]) > .5", "fast fences raise an alert"},
		{"increase(ownergraph_lost_fences_total[15m]) > 0", "increase(ownergraph_lost_fences_total[15m]) > 9", "a lost fence raises no alert"},
	} {
		changed := strings.Replace(string(text), c.old, c.new, 1)
		if changed == string(text) {
			t.Errorf("%q is not in the rules", c.old)
		}
		dir := t.TempDir()
		for name, content := range map[string]string{"alerts.yaml": changed, "alerts_test.yaml": string(cases)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := command(t, dir, promtool(t), "check", "rules", "alerts.yaml"); err != nil {
			t.Errorf("%s: %v: %s", c.reason, err, out)
		}
		if out, err := command(t, dir, promtool(t), "test", "rules", "alerts_test.yaml"); err == nil {
			t.Errorf("no case fails although %s: %s", c.reason, out)
		}
	}
}

// TestReasonsOfAlerts: each reason that an alert names is one of the policy.
func TestReasonsOfAlerts(t *testing.T) {
	text, err := os.ReadFile("deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`reason!?[=~]+"([^"]*)"`).FindAllStringSubmatch(string(text), -1)
	if len(found) == 0 {
		t.Error("no alert names a reason")
	}
	for _, m := range found {
		for code := range strings.SplitSeq(m[1], "|") {
			if _, err := policy.ParseReason(code); err != nil {
				t.Error(err)
			}
		}
	}
}
