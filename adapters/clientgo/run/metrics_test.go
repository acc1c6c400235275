package run

import (
	"bufio"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var sampleLine = regexp.MustCompile(`^([a-z_]+(?:\{[^}]*\})?) (\S+)$`)

// samples returns the samples of p's /metrics by name and labels. Each stands once.
func (r *rig) samples(p *Program) map[string]float64 {
	r.t.Helper()
	w := get(p, "/metrics")
	if got := w.Header().Get("Content-Type"); w.Code != 200 || !strings.HasPrefix(got, "text/plain; version=0.0.4; charset=utf-8") {
		r.t.Errorf("%d, %s", w.Code, got)
	}
	out := map[string]float64{}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		m := sampleLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if _, twice := out[m[1]]; twice || err != nil {
			r.t.Errorf("line %q: error %v", lines.Text(), err)
		}
		out[m[1]] = v
	}
	return out
}

// TestMetrics: the program serves the metrics of its collector. The deletes are those that the
// server has counted.
func TestMetrics(t *testing.T) {
	bubble(t, Config{Act: true}, func(r *rig) {
		r.owned()
		r.start(r.program)
		pass(time.Second)
		r.remove("deployments", "ns", "owner")
		r.put("configmaps", named("left"))
		pass(time.Second)
		got, deletes := r.samples(r.program), float64(len(r.takeCalls("delete")))
		for name, want := range map[string]float64{
			`ownergraph_objects{kind="ConfigMap"}`: 1, "ownergraph_gone_objects_total": 4, `ownergraph_calls_total{result="ok",type="delete"}`: deletes,
			`ownergraph_deleted_objects_total{kind="ConfigMap"}`: 3, `ownergraph_call_duration_seconds_count{type="delete"}`: deletes,
			`ownergraph_kinds{health="listed"}`: 2, `ownergraph_kinds{health="sick"}`: 0, `ownergraph_kinds{health="unlisted"}`: 0,
		} {
			if v, ok := got[name]; !ok || v != want {
				t.Errorf("%s is %v, want %v", name, v, want)
			}
		}
	})
}
