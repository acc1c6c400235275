package promstats

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// unreadable is a store whose archive cannot be read.
type unreadable struct{ *memory.Store }

func (unreadable) Extent(context.Context) (archive.Extent, error) {
	return archive.Extent{}, errors.New("no answer")
}

func archived(t *testing.T) *memory.Store {
	s, err := memory.New(memory.Config{Objects: []graph.Object{{Key: graph.Key{Kind: "app", Name: "a", UID: "a"}}}, Archive: &archive.Config{}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestArchive: the metrics have the size of the archive, and the age of its oldest entry.
func TestArchive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := archived(t)
		m, err := NewArchive(s)
		if err != nil {
			t.Fatal(err)
		}
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(m)
		r := &rig{TB: t, registry: registry}
		r.wants(r.scrape(), map[string]float64{"archive_entries": 0, "archive_oldest_seconds": 0, "archive_failed_reads_total": 0})
		if err := s.Delete(t.Context(), graph.Key{Kind: "app", Name: "a"}, graph.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		r.wants(r.scrape(), map[string]float64{"archive_entries": 1, "archive_restored_entries": 0, "archive_oldest_seconds": 60})
		if _, err := s.RestoreEntries(t.Context(), []archive.Item{{UID: "a", Name: "a"}}); err != nil {
			t.Fatal(err)
		}
		r.wants(r.scrape(), map[string]float64{"archive_entries": 1, "archive_restored_entries": 1})
	})
}

// TestArchiveFails: a scrape that cannot read the archive counts that, and has no figures of it.
func TestArchiveFails(t *testing.T) {
	m, err := NewArchive(unreadable{archived(t)})
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m)
	r := &rig{TB: t, registry: registry}
	r.scrape()
	got := r.scrape()
	if _, has := got["archive_entries"]; has || got["archive_failed_reads_total"] != 2 {
		t.Errorf("metrics %v", got)
	}
}

// TestArchiveNone: an error names the missing power.
func TestArchiveNone(t *testing.T) {
	s, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := NewArchive(s); m != nil || !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("%v, %v", m, err)
	}
}
