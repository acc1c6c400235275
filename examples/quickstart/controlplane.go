package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/plan"
)

// directoryFinalizer holds a deleted database until its directory is gone.
const directoryFinalizer = "example.com/directory"

// plane is a small control plane. A team has projects, a project has databases, and a database has
// backups. Each database has a directory below data, whose name is its UID.
type plane struct {
	*memory.Store
	data string
}

// showPlane deletes a project, and prints the plan and its outcome. It leaves no file and no goroutine.
//
//test:by TestShowPlane
func showPlane(ctx context.Context, out *terminal.Output) (err error) {
	data, err := os.MkdirTemp("", "quickstart-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{
		{Kind: "team"}, {Kind: "project", Scoped: true}, {Kind: "database", Scoped: true}, {Kind: "backup", Scoped: true},
	}})
	if err != nil {
		return err
	}
	p := plane{store, data}
	collector, err := ownergraph.New(store, ownergraph.Config{
		Handlers: map[string]ownergraph.Handler{directoryFinalizer: p.removeDirectory},
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	err = p.deleteProject(ctx, collector, out)
	stop()
	return errors.Join(err, <-ended)
}

// deleteProject fills the store, plans the deletion of one project, and carries the plan out.
func (p plane) deleteProject(ctx context.Context, collector *ownergraph.Collector, out *terminal.Output) error {
	web, err := p.fill(ctx)
	if err != nil {
		return err
	}
	if _, err := collector.WaitIdle(ctx); err != nil { // it has observed the objects
		return err
	}
	forecast, err := collector.Plan(ctx, plan.Request{Delete: []plan.Target{{Key: web.Key, Propagation: ownergraph.Foreground}}})
	if err != nil {
		return err
	}
	before, directories := p.Objects(), p.directories()
	out.Print("a control plane: the team blue has two projects, and the project web has a database with a directory\n\n")
	out.Print("plan: delete project/blue/web in the foreground\n" + indented(forecast.Text()))
	if err := collector.DeletePlanned(ctx, forecast); err != nil {
		return err
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		return err
	}
	text := p.outcome(before) + fmt.Sprintf("directories of databases: %d before, %d after\n", directories, p.directories())
	if len(forecast.Unmet(p.Objects())) == 0 {
		text += "as planned\n"
	}
	out.Print("outcome\n" + indented(text) + "\n")
	return out.Err()
}

// fill creates the objects, and the directory of the database. It returns the project to delete.
func (p plane) fill(ctx context.Context) (web ownergraph.Object, err error) {
	create := func(kind ownergraph.Kind, name string, finalizers []string, owners ...ownergraph.Owner) ownergraph.Object {
		o := ownergraph.Object{Key: ownergraph.Key{Kind: kind, Scope: "blue", Name: name}, Finalizers: finalizers, Owners: owners}
		if kind == "team" {
			o.Scope = ""
		}
		made, wrong := p.Create(ctx, o)
		err = errors.Join(err, wrong)
		return made
	}
	team := create("team", "blue", nil)
	web = create("project", "web", nil, team.ControllerRef())
	archive := create("project", "archive", nil, team.ControllerRef())
	orders := create("database", "orders", []string{directoryFinalizer}, web.ControllerRef())
	create("backup", "monday", nil, orders.ControllerRef())
	create("backup", "yearly", nil, orders.ControllerRef(), ownergraph.Owner{Key: archive.Key}) // two owners
	return web, errors.Join(err, os.Mkdir(p.directory(orders.UID), 0o700))
}

func (p plane) directory(database ownergraph.UID) string {
	return filepath.Join(p.data, string(database))
}

// removeDirectory is the handler of directoryFinalizer. It may run again: no directory is no error.
func (p plane) removeDirectory(_ context.Context, database ownergraph.Object) error {
	return os.RemoveAll(p.directory(database.UID))
}

// directories counts the directories of databases.
func (p plane) directories() int {
	list, _ := os.ReadDir(p.data)
	return len(list)
}

// outcome lists the objects by their end.
func (p plane) outcome(before []ownergraph.Object) string {
	now, gone, stay := map[ownergraph.UID]bool{}, []string{}, []string{}
	for _, o := range p.Objects() {
		now[o.UID] = true
	}
	for _, o := range before {
		if now[o.UID] {
			stay = append(stay, o.PlaceString())
		} else {
			gone = append(gone, o.PlaceString())
		}
	}
	return fmt.Sprintf("gone: %s\nstay: %s\n", strings.Join(gone, ", "), strings.Join(stay, ", "))
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
