package processes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/group"
)

// Task is the work of a process that is the program of a test.
type Task struct {
	// Address names the database, and Space the part of it. The site chooses both.
	Address, Space string
	// Name is the name of the process, and Dir the folder of its files.
	Name, Dir string
	Role      Role
	Size      Size
}

// taskArgument is the first argument that makes the program of a test such a process. The task is
// the second one.
const taskArgument = "collect"

// OfThisProcess returns the task of this process, if it has one.
func OfThisProcess() (t Task, is bool, err error) {
	if is = len(os.Args) == 3 && os.Args[1] == taskArgument; is {
		err = json.Unmarshal([]byte(os.Args[2]), &t)
	}
	return t, is, err
}

// ServeNoted is Serve for a store whose history does not name the process of a write. Each write has
// a line in the book of the process. A member calls the function for its coordinator.
func (t Task) ServeNoted(store batchStore, join func() (group.Coordinator, error)) error {
	book, err := t.openBook()
	if err != nil {
		return err
	}
	var coordinator group.Coordinator
	if t.Role == RoleMember {
		if coordinator, err = join(); err != nil {
			return err
		}
	}
	return t.Serve(&noted{store, book}, coordinator)
}

// Serve collects as the task says, until SIGTERM. The coordinator is that of the group. The errors
// are those of the collector and of the membership.
func (t Task) Serve(store ownergraph.Store, coordinator group.Coordinator) error {
	ctx, stop := signal.NotifyContext(context.Background(), signalEnd)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	c, err := ownergraph.New(store, ownergraph.Config{Logger: log, Workers: t.Size.Workers})
	if err != nil {
		return err
	}
	var member *group.Membership
	ended := make(chan error, 2)
	if t.Role == RoleMember {
		if member, err = group.New(c, coordinator, group.Config{Name: t.Name, Lease: t.Size.Lease, Logger: log}); err != nil {
			return err
		}
		go func() { ended <- member.Run(ctx) }()
	} else {
		ended <- nil
	}
	go func() { ended <- c.Run(ctx) }()
	l, err := net.Listen("unix", t.file("socket"))
	if err != nil {
		return err
	}
	defer l.Close()
	go func() { _ = http.Serve(l, answering(c, member)) }()
	return errors.Join(<-ended, <-ended)
}

// answering answers each request with the status of the process.
func answering(c *ownergraph.Collector, m *group.Membership) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now, stop := context.WithCancel(r.Context())
		stop()
		stats := c.Stats()
		s := Status{
			Written: int(stats.Calls.Of(engine.CallDelete) + stats.Calls.Of(engine.CallPatch)),
			Reads:   int(stats.Calls.Of(engine.CallRead)), Fences: int(stats.Calls.Of(engine.CallFence)),
			Synced: c.Synced(now) == nil,
		}
		if m != nil {
			g := m.Status()
			s.Members, s.Slots, s.Gap = len(g.Members), g.Share.Len(), g.Gap.Len()
		}
		_ = json.NewEncoder(w).Encode(s)
	})
}

func (t Task) file(kind string) string { return fmt.Sprintf("%s/%s.%s", t.Dir, t.Name, kind) }
