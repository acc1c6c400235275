package promstats

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// ArchiveMetrics are the metrics of the archive of a store, as a prometheus.Collector. Use NewArchive. It is safe for
// concurrent use.
//
//test:by TestArchive TestArchiveFails TestLint
type ArchiveMetrics struct {
	store   archive.Store
	timeout time.Duration
	failed  atomic.Uint64
	descs   map[string]*prometheus.Desc // by the name of the family
}

// archiveTimeout bounds the request of a scrape.
const archiveTimeout = 5 * time.Second

// NewArchive returns the metrics of the archive of a store. A scrape makes one request of the store, of 5 seconds at most. If
// that fails it has the number of failures alone. The error wraps graph.ErrInvalid for a store without an archive.
//
//test:by TestArchive TestArchiveNone
func NewArchive(store ownergraph.Store) (*ArchiveMetrics, error) {
	s, ok := ownergraph.As[archive.Store](store)
	if !ok || !s.HasArchive() {
		return nil, fmt.Errorf("configure metrics: store: no archive: %w", graph.ErrInvalid)
	}
	m := &ArchiveMetrics{store: s, timeout: archiveTimeout, descs: map[string]*prometheus.Desc{}}
	for _, f := range archiveFamilies() {
		m.descs[f.name] = f.desc()
	}
	return m, nil
}

func archiveFamilies() []family {
	return []family{
		{"archive_entries", "Entries of objects that ended.", ""},
		{"archive_restored_entries", "Entries whose object came back.", ""},
		{"archive_bytes", "Size of the payloads of the entries.", ""},
		{"archive_oldest_seconds", "Time since the end of the object with the oldest entry, 0 without entries.", ""},
		{"archive_failed_reads_total", "Scrapes that could not read the archive.", ""},
	}
}

// Describe sends the descriptions of the metrics.
func (m *ArchiveMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range m.descs {
		out <- d
	}
}

// Collect reads the size of the archive, and sends the metrics.
func (m *ArchiveMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, end := context.WithTimeout(context.Background(), m.timeout)
	defer end()
	s := sink{m.descs, out}
	x, err := m.store.Extent(ctx)
	if err != nil {
		m.failed.Add(1)
	}
	s.count("archive_failed_reads_total", m.failed.Load())
	if err != nil {
		return
	}
	oldest := 0.0
	if !x.Oldest.IsZero() {
		oldest = max(0, time.Since(x.Oldest).Seconds())
	}
	s.put("archive_entries", float64(x.Entries))
	s.put("archive_restored_entries", float64(x.Restored))
	s.put("archive_bytes", float64(x.Bytes))
	s.put("archive_oldest_seconds", oldest)
}
