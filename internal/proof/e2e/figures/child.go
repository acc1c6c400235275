package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// roleVariable names the environment variable that makes this program a side.
const roleVariable = "OWNERGRAPH_FIGURES_SIDE"

// The sides.
const (
	ours     = "ours"
	upstream = "upstream"
	bare     = "bare loop"
)

// task is the first line that a side reads.
type task struct {
	Host, Token string
	CAFile      string
	Insecure    bool
	Workers     int
	Profile     string // file, "" for none

	// For the bare loop.
	Group, Version, Resource, Namespace string
	Scenario                            string
}

func (t task) config() *rest.Config {
	return &rest.Config{
		Host: t.Host, BearerToken: t.Token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{Insecure: t.Insecure, CAFile: t.CAFile},
	}
}

// Orders for a side, one a line. It answers each with a report.
const (
	orderQuiet  = "quiet"  // wait until no request was sent for a while
	orderReset  = "reset"  // forget the counts
	orderGo     = "go"     // the bare loop's: send the writes
	orderCounts = "counts" // report the counts
	orderMemory = "memory" // collect garbage, and report the memory that is left
)

// report is a side's answer.
type report struct {
	Failed  string         `json:",omitempty"`
	Seconds float64        `json:",omitempty"` // since it began
	Counts  map[string]int `json:",omitempty"`
	Memory  usage
}

// usage is a process's memory in bytes.
type usage struct {
	Resident, ResidentPeak, Heap, HeapPeak int64
}

// side is one of the ways to do a cascade.
type side interface {
	// run works until ctx ends, and calls ready once it is ready.
	run(ctx context.Context, ready func()) error
	// send sends the writes of a cascade, for a side that sees no events.
	send(ctx context.Context) error
}

func newSide(role string, t task, config *rest.Config) (side, error) {
	switch role {
	case ours:
		return newOurs(config, t.Workers)
	case upstream:
		return newUpstream(config, t.Workers)
	case bare:
		return newBare(config, t)
	}
	return nil, fmt.Errorf("side %q: there is none such", role)
}

// serve is a side's main. It obeys orders until its input ends.
func serve(role string, in io.Reader, out io.Writer) error {
	began := time.Now()
	klog.SetLogger(klog.Logger{}) // upstream's logs cost it nothing
	orders := bufio.NewScanner(in)
	orders.Buffer(nil, 1<<20)
	if !orders.Scan() {
		return errors.New("no task")
	}
	var t task
	if err := json.Unmarshal(orders.Bytes(), &t); err != nil {
		return fmt.Errorf("read task: %w", err)
	}
	counts := newCounter()
	config := t.config()
	config.Wrap(counts.through)
	s, err := newSide(role, t, config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &servant{side: s, task: t, counts: counts, began: began, say: json.NewEncoder(out)}
	go w.watchHeap(ctx)
	ready, failed := make(chan struct{}), make(chan error, 1)
	go func() { failed <- s.run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-failed:
		return w.say.Encode(report{Failed: fmt.Sprint("ended before it was ready: ", err)})
	}
	if err := w.say.Encode(report{Seconds: time.Since(began).Seconds()}); err != nil {
		return err
	}
	for orders.Scan() {
		if err := w.say.Encode(w.obey(ctx, orders.Text())); err != nil {
			return err
		}
	}
	return orders.Err()
}

// servant carries out the orders of one side.
type servant struct {
	side   side
	task   task
	counts *counter
	began  time.Time
	say    *json.Encoder
	peak   atomic.Int64
}

const (
	readyEvery = 10 * time.Millisecond // the interval between two checks of a side that becomes ready
	silence    = time.Second           // after the last request it is quiet
	patience   = 3 * time.Minute
)

func (w *servant) obey(ctx context.Context, order string) report {
	switch order {
	case orderQuiet:
		for end := time.Now().Add(patience); time.Since(w.counts.lastSent()) < silence; {
			if time.Now().After(end) {
				return report{Failed: "it is never quiet"}
			}
			<-time.After(50 * time.Millisecond)
		}
		return report{Seconds: w.counts.lastSent().Sub(w.began).Seconds()}
	case orderReset:
		w.counts.taken()
		return w.profile()
	case orderGo:
		if err := w.side.send(ctx); err != nil {
			return report{Failed: err.Error()}
		}
		return report{}
	case orderCounts:
		if w.task.Profile != "" {
			pprof.StopCPUProfile()
		}
		return report{Counts: w.counts.taken()}
	case orderMemory:
		return w.memory()
	}
	return report{Failed: "unknown order " + order}
}

func (w *servant) profile() report {
	if w.task.Profile == "" {
		return report{}
	}
	f, err := os.Create(w.task.Profile)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		return report{Failed: err.Error()}
	}
	return report{}
}

// memory reports the memory so far, and the memory that is needed.
func (w *servant) memory() report {
	_, top, err := residentOf("self")
	if err != nil {
		return report{Failed: err.Error()}
	}
	peak := w.peak.Load()
	debug.FreeOSMemory()
	debug.FreeOSMemory() // the memory that finalizers released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	now, _, err := residentOf("self")
	if err != nil {
		return report{Failed: err.Error()}
	}
	return report{Memory: usage{now, top, int64(m.HeapAlloc), peak}}
}

// watchHeap notes the highest size of the heap, garbage included.
func (w *servant) watchHeap(ctx context.Context) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	each := time.NewTicker(5 * time.Millisecond)
	defer each.Stop()
	for ctx.Err() == nil {
		metrics.Read(sample)
		if n := int64(sample[0].Value.Uint64()); n > w.peak.Load() {
			w.peak.Store(n)
		}
		<-each.C
	}
}
