package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

type (
	readRecordFunc  = func(ctx context.Context, name string) (ownergraph.Record, error)
	writeRecordFunc = func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error)
)

// recorder is a wrapper of the power to keep records.
type recorder struct {
	ownergraph.Store
	read  readRecordFunc
	write writeRecordFunc
}

func (r *recorder) Unwrap() ownergraph.Store { return r.Store }

func (r *recorder) ReadRecord(ctx context.Context, name string) (ownergraph.Record, error) {
	return r.read(ctx, name)
}

func (r *recorder) WriteRecord(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
	return r.write(ctx, name, value, version)
}

// recording replaces the calls of records by those that change makes of the sound ones.
func recording(change func(r *recorder, sound ownergraph.Records)) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		sound, ok := ownergraph.As[ownergraph.Records](s.Store)
		if !ok {
			tb.Fatalf("the sound store keeps no records")
		}
		r := &recorder{s.Store, sound.ReadRecord, sound.WriteRecord}
		change(r, sound)
		s.Store = r
		return s
	}
}

// recordReads replaces the answers of reads.
func recordReads(answer func(name string, r ownergraph.Record, err error) (ownergraph.Record, error)) func(TB, Subject) Subject {
	return recording(func(r *recorder, sound ownergraph.Records) {
		r.read = func(ctx context.Context, name string) (ownergraph.Record, error) {
			got, err := sound.ReadRecord(ctx, name)
			return answer(name, got, err)
		}
	})
}

// recordWritten replaces the writes of records.
func recordWritten(write func(sound ownergraph.Records) writeRecordFunc) func(TB, Subject) Subject {
	return recording(func(r *recorder, sound ownergraph.Records) { r.write = write(sound) })
}

// recordAnswers replaces the error of a write that ends with one.
func recordAnswers(of error, by error) func(TB, Subject) Subject {
	return recordWritten(func(sound ownergraph.Records) writeRecordFunc {
		return func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
			next, err := sound.WriteRecord(ctx, name, value, version)
			if errors.Is(err, of) {
				return next, by
			}
			return next, err
		}
	})
}

// unseen answers an error of reads as absence.
func unseen(of error) func(TB, Subject) Subject {
	return recordReads(func(_ string, r ownergraph.Record, err error) (ownergraph.Record, error) {
		if errors.Is(err, of) {
			err = graph.ErrNotFound
		}
		return r, err
	})
}

func mutantsOfRecords() []mutant {
	return []mutant{
		{name: "an absent record is an empty one", law: recordsAbsent, reason: "a missing row scans as zero", plant: recordReads(func(_ string, r ownergraph.Record, err error) (ownergraph.Record, error) {
			if errors.Is(err, graph.ErrNotFound) {
				err = nil
			}
			return r, err
		})},
		{name: "a record is text", law: recordsKept, reason: "a column of type text", plant: recordReads(func(_ string, r ownergraph.Record, err error) (ownergraph.Record, error) {
			r.Value = []byte(strings.ToValidUTF8(string(r.Value), "?"))
			return r, err
		})},
		{name: "an empty record is absent", law: recordsKept, reason: "a value of no bytes is NULL", plant: recordReads(func(_ string, r ownergraph.Record, err error) (ownergraph.Record, error) {
			if err == nil && len(r.Value) == 0 {
				err = graph.ErrNotFound
			}
			return r, err
		})},
		{name: "a record that was written is in conflict", law: "records/cancelled", reason: "a transaction without an answer counts as rolled back", plant: recordWritten(func(sound ownergraph.Records) writeRecordFunc {
			return func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
				if err := ctx.Err(); err != nil {
					return "", err
				}
				next, err := sound.WriteRecord(context.WithoutCancel(ctx), name, value, version)
				return next, asError(graph.ErrConflict)(ctx, "write", err)
			}
		})},
		{name: "reads of records have one buffer", law: "records/alias", reason: "the buffer of the driver", plant: recordBuffer},
		{name: "names of records are cut", law: recordsKept, reason: "varchar(60)", plant: cutRecordNames},
		{name: "a record ignores its version", law: recordsConflict, reason: "UPDATE without a condition", plant: recordUpserts(func(version ownergraph.Version) bool { return version != "" })},
		{name: "a new record overwrites", law: recordsConflict, reason: "INSERT OR REPLACE", plant: recordUpserts(func(version ownergraph.Version) bool { return version == "" })},
		{name: "a stale record is not found", law: recordsConflict, reason: "no row has changed", plant: recordAnswers(graph.ErrConflict, graph.ErrNotFound)},
		{name: "a stale record is unknown", law: recordsConflict, reason: "an error without its meaning", plant: recordAnswers(graph.ErrConflict, errDisk)},
		{name: "a write of the same value keeps the version", law: recordsVersion, reason: "the server takes it for no change", plant: recordWritten(func(sound ownergraph.Records) writeRecordFunc {
			return func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
				if now, err := sound.ReadRecord(ctx, name); err == nil && now.Version == version && string(now.Value) == string(value) {
					return version, nil
				}
				return sound.WriteRecord(ctx, name, value, version)
			}
		})},
		{name: "a record shares the memory of its reader", law: "records/alias", reason: "a cache", plant: sharedRecords},
		{name: "a record has any name", law: "records/bounds", reason: "the name is escaped", plant: unboundRecords},
		{name: "a record is an object", law: "records/apart", reason: "a table for both", plant: recordsAsObjects},
		{name: "two writers of a record win", law: "records/one-wins", reason: "two statements without a lock", plant: recordWritten(comparesRecordFirst)},
		{name: "a cancelled read finds no record", law: "records/cancelled", reason: "every error counts as no rows", plant: unseen(context.Canceled)},
		{name: "a cancelled write of a record is done", law: "records/cancelled", reason: "a queue that is dropped", plant: recordAnswers(context.Canceled, nil)},
		{name: "a restart loses records", law: "records/restart", reason: "a map in memory", plant: restarting(emptyRecords)},
		{name: "each process has records of its own", law: "records/second", reason: "a map in memory", plant: seconds(emptyRecords)},
		{name: "versions of records go back with a restore", law: "records/rewind", reason: "a counter in the database", plant: recordsRewound},
		{name: "a busy database has no record", law: "records/outage", reason: "every error counts as no rows", plant: unseen(errBusy)},
		{name: "a busy database takes records", law: "records/outage", reason: "a queue in memory that is lost", plant: recordAnswers(errBusy, nil)},
		{name: "an error of a record's commit is swallowed", law: "records/commit-failed", reason: "defer tx.Commit()", plant: recordAnswers(errDisk, nil)},
		{name: "a record without an answer is in conflict", law: "records/commit-unanswered", reason: "every failed commit counts as not done", plant: recordAnswers(errDisk, graph.ErrConflict)},
		{name: "a record without an answer has a time to come again", law: "records/commit-unanswered", reason: "every failed commit counts as an abort", plant: recordAnswers(errDisk, errLater{})},
	}
}

// cutRecordNames keeps the records of long names under one name.
func cutRecordNames(tb TB, s Subject) Subject {
	cut := func(name string) string {
		if graph.ValidateRecord(name, nil) == nil && len(name) > 60 {
			return strings.TrimRight(name[:60], "-")
		}
		return name
	}
	return recording(func(r *recorder, sound ownergraph.Records) {
		r.read = func(ctx context.Context, name string) (ownergraph.Record, error) {
			return sound.ReadRecord(ctx, cut(name))
		}
		r.write = func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
			return sound.WriteRecord(ctx, cut(name), value, version)
		}
	})(tb, s)
}

// recordUpserts writes without a condition at some versions.
func recordUpserts(at func(version ownergraph.Version) bool) func(TB, Subject) Subject {
	return recordWritten(func(sound ownergraph.Records) writeRecordFunc {
		return func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
			if now, err := sound.ReadRecord(ctx, name); err == nil && at(version) {
				version = now.Version
			}
			return sound.WriteRecord(ctx, name, value, version)
		}
	})
}

// comparesRecordFirst compares the version, and then writes without it.
func comparesRecordFirst(sound ownergraph.Records) writeRecordFunc {
	return func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
		now, err := sound.ReadRecord(ctx, name)
		if err != nil && !errors.Is(err, graph.ErrNotFound) {
			return "", err
		}
		if now.Version != version {
			return "", fmt.Errorf("write record %q: %w", name, graph.ErrConflict)
		}
		select {
		case <-time.After(time.Millisecond): // others compare meanwhile
		case <-ctx.Done():
			return "", ctx.Err()
		}
		if now, err = sound.ReadRecord(ctx, name); err != nil && !errors.Is(err, graph.ErrNotFound) {
			return "", err
		}
		return sound.WriteRecord(ctx, name, value, now.Version)
	}
}

// sharedRecords hands out one array for each version of a record.
func sharedRecords(tb TB, s Subject) Subject {
	var mu sync.Mutex
	cache := map[ownergraph.Version]ownergraph.Record{}
	return recordReads(func(_ string, r ownergraph.Record, err error) (ownergraph.Record, error) {
		mu.Lock()
		defer mu.Unlock()
		if known, ok := cache[r.Version]; ok && err == nil {
			return known, nil
		}
		if err == nil {
			cache[r.Version] = r
		}
		return r, err
	})(tb, s)
}

// unboundRecords takes every name, and keeps it under one that is valid.
func unboundRecords(tb TB, s Subject) Subject {
	escape := func(name string) string {
		if graph.ValidateRecord(name, nil) != nil {
			return fmt.Sprintf("x-%.20x", name)
		}
		return name
	}
	return recording(func(r *recorder, sound ownergraph.Records) {
		r.read = func(ctx context.Context, name string) (ownergraph.Record, error) {
			return sound.ReadRecord(ctx, escape(name))
		}
		r.write = func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
			return sound.WriteRecord(ctx, escape(name), value, version)
		}
	})(tb, s)
}

// recordsAsObjects makes an object of each record.
func recordsAsObjects(tb TB, s Subject) Subject {
	client := s.Client
	return recordWritten(func(sound ownergraph.Records) writeRecordFunc {
		return func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
			next, err := sound.WriteRecord(ctx, name, value, version)
			if err == nil && version == "" {
				_, err = client.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "app", Scope: "records", Name: name}})
			}
			return next, err
		}
	})(tb, s)
}

// emptyRecords is a store that begins without records, and keeps them in a map.
func emptyRecords(tb TB, s Subject) Subject {
	var mu sync.Mutex
	all := map[string]ownergraph.Record{}
	return recording(func(r *recorder, _ ownergraph.Records) {
		r.read = func(_ context.Context, name string) (ownergraph.Record, error) {
			mu.Lock()
			defer mu.Unlock()
			if got, ok := all[name]; ok {
				return got, nil
			}
			return ownergraph.Record{}, graph.ErrNotFound
		}
		r.write = func(_ context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
			mu.Lock()
			defer mu.Unlock()
			if all[name].Version != version {
				return "", graph.ErrConflict
			}
			all[name] = ownergraph.Record{Value: bytes.Clone(value), Version: version + "+"}
			return all[name].Version, nil
		}
	})(tb, s)
}

// recordNumbers gives numbers to the versions of records.
type recordNumbers struct {
	mu    sync.Mutex
	count int
	of    map[ownergraph.Version]ownergraph.Version // of the sound versions
	sound map[ownergraph.Version]ownergraph.Version // of the numbers
}

func (n *recordNumbers) number(sound ownergraph.Version) ownergraph.Version {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.of[sound]; !ok && sound != "" {
		n.count++
		n.of[sound] = ownergraph.Version(fmt.Sprint(n.count))
		n.sound[n.of[sound]] = sound
	}
	return n.of[sound]
}

func (n *recordNumbers) back(number ownergraph.Version) ownergraph.Version {
	n.mu.Lock()
	defer n.mu.Unlock()
	if sound, ok := n.sound[number]; ok {
		return sound
	}
	return number
}

func (n *recordNumbers) set(count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count = count
}

// recordsRewound counts the versions of records, and a restore sets the counter back.
func recordsRewound(tb TB, s Subject) Subject {
	n := &recordNumbers{of: map[ownergraph.Version]ownergraph.Version{}, sound: map[ownergraph.Version]ownergraph.Version{}}
	backup := s.Backup
	s.Backup = func(ctx context.Context) (func(context.Context) error, error) {
		restore, err := backup(ctx)
		n.mu.Lock()
		count := n.count
		n.mu.Unlock()
		return func(ctx context.Context) error {
			n.set(count)
			return restore(ctx)
		}, err
	}
	plant := recording(func(r *recorder, sound ownergraph.Records) {
		r.read = func(ctx context.Context, name string) (ownergraph.Record, error) {
			got, err := sound.ReadRecord(ctx, name)
			got.Version = n.number(got.Version)
			return got, err
		}
		r.write = func(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
			next, err := sound.WriteRecord(ctx, name, value, n.back(version))
			return n.number(next), err
		}
	})
	return everywhere(plant)(tb, s)
}

// recordBuffer returns the values of all reads in one buffer.
func recordBuffer(tb TB, s Subject) Subject {
	var buffer guarded[[]byte]
	return recordReads(func(_ string, r ownergraph.Record, err error) (ownergraph.Record, error) {
		buffer.with(func(b *[]byte) {
			*b = append((*b)[:0], r.Value...)
			r.Value = *b
		})
		return r, err
	})(tb, s)
}
