package sqlstore

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

var adoptRows = flag.Int("adopt.rows", 20_000, "the rows of TestAdoptSpeed")

// adoptHeap bounds the memory of Adopt in this test, for each number of rows.
const adoptHeap = 256 << 20

// TestAdoptSpeed adopts many rows, and logs the rows in a second of the first run and of the second
// one. The heap is bounded, whatever the number of rows: -adopt.rows=1000000.
func TestAdoptSpeed(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		a := d.mustHandle(t, nil).withOld(t)
		a.many(*adoptRows)
		base := heap()
		for run, want := range []int{*adoptRows, 0} {
			peak, next := uint64(0), int64(0)
			began := time.Now()
			r := a.adopt(AdoptConfig{OnProgress: func(p AdoptProgress) {
				if p.Rows >= next || p.Rows < next-100_000 {
					next, peak = p.Rows+20_000, max(peak, heap())
				}
			}})
			took := time.Since(began)
			if r.Rows != int64(*adoptRows) || r.Created != int64(want) {
				t.Errorf("run %d: %+v", run, r)
			}
			peak = max(peak, heap())
			t.Logf("run %d: %d rows in %d passes, %.1f s, %.0f rows/s, heap %.1f MiB at most, %.1f before", run+1, *adoptRows, r.Passes,
				took.Seconds(), float64(*adoptRows)/took.Seconds(), float64(peak)/(1<<20), float64(base)/(1<<20))
			t.Logf("run %d: the process has had at most %s", run+1, resident())
			if peak > adoptHeap {
				t.Errorf("run %d: the heap has %d bytes, more than %d", run, peak, adoptHeap)
			}
		}
	})
}

// resident is the peak of the resident memory, by Linux. The heap of modernc.org/sqlite is in it.
func resident() string {
	text, _ := os.ReadFile("/proc/self/status") // elsewhere the peak is unknown
	_, peak, _ := strings.Cut(string(text), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	return cmp.Or(strings.TrimSpace(peak), "unknown memory")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// many adds rows: a bucket has 20 photos, and a team 50 buckets.
func (a *old) many(rows int) {
	teams, buckets := rows/1000, rows/20
	numbers := func(n int) string {
		if a.conf.Dialect == Postgres {
			return fmt.Sprintf(`generate_series(1, %d) n(i)`, n)
		}
		return fmt.Sprintf(`(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n) n`, n)
	}
	a.do(`INSERT INTO {teams} (id, title) SELECT i, 'team ' || i FROM ` + numbers(teams))
	a.do(fmt.Sprintf(`INSERT INTO {buckets} (no, "team id", space, title) SELECT i, 1 + i %% %d, 's', 'bucket ' || i FROM `, teams) + numbers(buckets))
	a.do(`INSERT INTO {photos} (code, bucket, title) SELECT 'k' || i, 1 + i / 21, 'photo ' || i FROM ` + numbers(rows-teams-buckets))
	if a.conf.Dialect == Postgres {
		a.do(`ANALYZE {photos}`)
	}
}
