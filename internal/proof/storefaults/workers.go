package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ownergraph/ownergraph/internal/servers"
)

// The faults of collectors.
const (
	killCollector  = "kill-collector"
	pauseCollector = "pause-collector"
)

// workers are the collectors of a round, each in a process of its own. One goroutine uses
// it.
type workers struct {
	target    target
	work, dir string
	mistake   string // of the store of each collector
	former    string // the path of a former version's program, which is the last collector; or ""
	list      []*servers.Process
}

// startWorkers starts the collectors. The files of the handler are in the directory "work".
func startWorkers(ctx context.Context, t target, dir, mistake, former string, n int) (*workers, error) {
	w := &workers{target: t, mistake: mistake, former: former, work: filepath.Join(dir, "work"), dir: dir, list: make([]*servers.Process, n)}
	if former != "" {
		w.list = append(w.list, nil)
	}
	if err := os.Mkdir(w.work, 0o755); err != nil {
		return nil, err
	}
	for i := range w.list {
		if err := w.start(ctx, i); err != nil {
			return nil, errors.Join(err, w.stop())
		}
	}
	return w, nil
}

func (w *workers) start(ctx context.Context, i int) (err error) {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	args := w.target.arguments()
	if w.isFormer(i) {
		program, args = w.former, w.target.place()
	}
	args = append([]string{"collect", "-work", w.work, "-mistake", w.mistake}, args...)
	w.list[i], err = servers.Launch(ctx, w.dir, fmt.Sprintf("collector%d", i), program, args...)
	return err
}

func (w *workers) isFormer(i int) bool { return w.former != "" && i == len(w.list)-1 }

// kill kills a collector, and its end starts it again.
func (w *workers) kill(ctx context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	i := rnd.IntN(len(w.list))
	if err := w.check(); err != nil {
		return nil, err
	}
	w.list[i].Stop()
	return func(context.Context) error { return w.start(ctx, i) }, nil
}

// pause stops a collector, and its end lets it go on with its old evidence.
func (w *workers) pause(_ context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	p := w.list[rnd.IntN(len(w.list))]
	return func(context.Context) error { return syscall.Kill(p.PID(), syscall.SIGCONT) }, syscall.Kill(p.PID(), syscall.SIGSTOP)
}

func (w *workers) faults() []fault {
	return []fault{{killCollector, w.kill}, {pauseCollector, w.pause}}
}

// check returns an error if a collector has ended by itself.
func (w *workers) check() error {
	for i, p := range w.list {
		shutOut := w.isFormer(i) && w.target.Policies // then its program may end
		if p != nil && !p.Alive() && !shutOut {
			return fmt.Errorf("a collector has ended: %s", p.Tail())
		}
	}
	return nil
}

func (w *workers) stop() error {
	err := w.check()
	for _, p := range w.list {
		if p != nil {
			p.Stop()
		}
	}
	return err
}
