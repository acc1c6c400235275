package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"
)

// Params are the parameters of one process.
type Params struct {
	Row        string        `json:"row"`
	N          int           `json:"n,omitempty"`
	Workers    int           `json:"workers,omitempty"` // 0 for the product's default
	Collectors int           `json:"collectors,omitempty"`
	Split      bool          `json:"split,omitempty"`
	Latency    time.Duration `json:"latency,omitempty"`
	Product    bool          `json:"product,omitempty"`
	Batch      bool          `json:"batch,omitempty"`  // ours sends its writes in batches
	Guard      string        `json:"guard,omitempty"`  // of ours: see How
	Order      string        `json:"order,omitempty"`  // of a listing: Parallel, or empty for owners first
	Mapper     string        `json:"mapper,omitempty"` // the REST mapper of theirs; empty for the product's
	Bare       bool          `json:"bare,omitempty"`   // measures the bare run beside the row
	Timeout    time.Duration `json:"timeout,omitempty"`
	// Profile names a file for a CPU profile. It covers a cascade from the user's
	// deletion to its end, and any other row as a whole.
	Profile string `json:"profile,omitempty"`
}

// Parallel is the order of listings of all kinds at the same time.
const Parallel = "parallel"

// Metrics are the figures of one run, by name.
type Metrics map[string]float64

// Run measures one row and writes its figures to out.
func Run(out io.Writer, side Side, p Params) error {
	rows := map[string]func(Side, Params) (Metrics, error){
		"graph": whole(graphRow), "memory": whole(memoryRow), "worst": whole(worstRow), "fan": whole(fanRow),
		"background": backgroundRow, "foreground": foregroundRow, "orphan": orphanRow, "chain": chainRow, "star": starRow,
		"start": startRow, "queue": whole(queueRow), "listing": listingRow, "update": updateRow,
	}
	row := rows[p.Row]
	if p.Bare {
		row = bares[p.Row]
	}
	if row == nil {
		return fmt.Errorf("measure: row %q: unknown", p.Row)
	}
	if p.Timeout == 0 {
		p.Timeout = 5 * time.Minute
	}
	m, err := row(side, p)
	if err != nil {
		return fmt.Errorf("measure %s: %w", p.Row, err)
	}
	return json.NewEncoder(out).Encode(m)
}

// meter adds up the costs of several stretches. Reading it allocates nothing.
type meter struct {
	stats          *runtime.MemStats
	begun          time.Time
	time, cpu      time.Duration
	mallocs, bytes uint64
}

func newMeter() *meter { return &meter{stats: new(runtime.MemStats)} }

// begin and end enclose one stretch.
func (t *meter) begin() {
	runtime.ReadMemStats(t.stats)
	t.mallocs -= t.stats.Mallocs
	t.bytes -= t.stats.TotalAlloc
	t.cpu -= processTime()
	t.begun = time.Now()
}

func (t *meter) end() {
	t.time += time.Since(t.begun)
	t.cpu += processTime()
	runtime.ReadMemStats(t.stats)
	t.mallocs += t.stats.Mallocs
	t.bytes += t.stats.TotalAlloc
}

// per writes the sum for each unit of work, under a name.
func (t *meter) per(n int, m Metrics, name string) {
	m[name+" ns"] = float64(t.time.Nanoseconds()) / float64(n)
	m[name+" cpu ns"] = float64(t.cpu.Nanoseconds()) / float64(n)
	m[name+" allocs"] = float64(t.mallocs) / float64(n)
	m[name+" bytes"] = float64(t.bytes) / float64(n)
}

// heap returns the bytes of the reachable objects, and of the pages that have them.
func heap() (alloc, inUse float64) {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc), float64(s.HeapInuse)
}
