package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

const maxBody, maxOwners, maxPage, everything = 64 << 10, 16, 1000, "!label" // it selects every object, as none has labels

// record is one object and its payload. The engine knows only the object.
type record struct {
	Object graph.Object    `json:"object"`
	Spec   json.RawMessage `json:"spec,omitempty"`
}

// records is a database of records. It is safe for concurrent use. Method create is atomic.
type records interface {
	store() store
	create(ctx context.Context, r record) (record, error)
	read(ctx context.Context, key graph.Key) (record, error)
	group(ctx context.Context) (group.Coordinator, error)
	close() error
}

// store has the objects alone, for the collector.
type store interface {
	ownergraph.Store
	ownergraph.LabelSelector
	ownergraph.Records
}

// use has the steps that a store takes for good. Each step shuts the programs out that do not take it.
type use struct {
	policies bool
	undo     time.Duration // for which the archive keeps a deleted object, 0 for no archive
}

func openRecords(ctx context.Context, address string, use use) (records, error) {
	switch scheme, rest, _ := strings.Cut(address, ":"); scheme {
	case "sqlite":
		return openSQL(ctx, "sqlite", "file:"+rest+sqliteSettings, use)
	case "postgres", "postgresql":
		return openSQL(ctx, "pgx", address, use)
	case "etcd":
		return openEtcd(strings.TrimPrefix(rest, "//"), use)
	}
	return nil, errors.New("want sqlite:FILE, postgres://... or etcd://HOST:PORT/PREFIX")
}

// kinds returns the kinds of objects. The scope of an object is its team. A team is global.
func kinds() []graph.KindInfo {
	return []graph.KindInfo{{Kind: "teams"}, {Kind: "projects", Scoped: true}, {Kind: "databases", Scoped: true}, {Kind: "backups", Scoped: true}}
}

// kindsIn reads a list of kinds, separated by commas.
func kindsIn(text string) (list []graph.Kind, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if !slices.ContainsFunc(kinds(), func(i graph.KindInfo) bool { return string(i.Kind) == name }) {
			return nil, fmt.Errorf("%.80q is no kind", name)
		}
		list = append(list, graph.Kind(name))
	}
	return list, nil
}

// ownersOf returns the kinds that may own an object of a kind, none for a team.
func ownersOf(kind graph.Kind) []graph.Kind {
	return map[graph.Kind][]graph.Kind{"projects": {"teams"}, "databases": {"projects"}, "backups": {"databases", "projects"}}[kind]
}

func (a *api) show(r *http.Request, key graph.Key) (int, any, error) {
	found, err := a.records.read(r.Context(), key)
	return http.StatusOK, found, err
}

// list has the team's objects in one page of a kind. A large control plane has an index.
func (a *api) list(r *http.Request, key graph.Key) (int, any, error) {
	request := graph.SelectRequest{Kind: key.Kind, Selector: everything, Limit: maxPage, After: r.URL.Query().Get("after")}
	page, err := a.records.store().Select(r.Context(), request)
	names := []string{}
	for _, found := range page.Objects {
		if found.Key.Scope == key.Scope {
			names = append(names, found.Key.Name)
		}
	}
	return http.StatusOK, map[string]any{"names": names, "after": page.More}, err
}

// creation is the body of a POST. An owner is a kind and a name, as in "projects/web", with the
// policy of the reference, if any, as in "projects/web:restrict". A program without policies
// finds no owner of that name.
type creation struct {
	Name   string          `json:"name"`
	Owners []string        `json:"owners"`
	Spec   json.RawMessage `json:"spec"`
}

func (a *api) create(r *http.Request, key graph.Key) (int, any, error) {
	c, err := readCreation(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return 0, nil, err
	}
	made := record{Object: graph.Object{Key: key}, Spec: c.Spec}
	made.Object.Name = c.Name
	if key.Kind == "databases" {
		made.Object.Finalizers = []string{directoryFinalizer}
	}
	if made.Object.Owners, err = a.owners(r.Context(), key, c.Owners); err == nil {
		made, err = a.records.create(r.Context(), made)
	}
	if err == nil && key.Kind == "databases" {
		_, err = a.dirs.ensure(r.Context(), made.Object.Key)
	}
	return http.StatusCreated, made, err
}

// readCreation reads the body of a creation.
func readCreation(body io.Reader) (c creation, err error) {
	if err := readBody(body, &c); err != nil {
		return c, err
	}
	if ok, _ := regexp.MatchString(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, c.Name); !ok {
		err = fmt.Errorf("name: %.80q: want 1 to 63 of a-z, 0-9 and -: %w", c.Name, ownergraph.ErrInvalid)
	}
	return c, err
}

// readOwner returns the place and the policy of an owner in a creation.
func readOwner(text string) (place string, policy graph.OnDelete, err error) {
	place, name, has := strings.Cut(text, ":")
	if has {
		err = policy.UnmarshalText([]byte(name))
	}
	if err != nil {
		err = fmt.Errorf("owners: %.80q: %w", text, err)
	}
	return place, policy, err
}

// owners finds the owners of a new object. They block: their foreground deletion waits for it.
func (a *api) owners(ctx context.Context, of graph.Key, list []string) (owners []graph.Owner, err error) {
	if of.Kind == "projects" && len(list) == 0 {
		list = []string{"teams/" + of.Scope}
	}
	if (len(list) > 0) != (ownersOf(of.Kind) != nil) || len(list) > maxOwners {
		return nil, fmt.Errorf("owners: %d: wrong number for %s: %w", len(list), of.Kind, ownergraph.ErrInvalid)
	}
	for _, text := range list {
		place, policy, err := readOwner(text)
		if err != nil {
			return nil, err
		}
		kind, name, _ := strings.Cut(place, "/")
		key := graph.Key{Kind: graph.Kind(kind), Scope: of.Scope, Name: name}
		if place == "teams/"+of.Scope {
			key.Scope = ""
		}
		if !slices.Contains(ownersOf(of.Kind), key.Kind) {
			return nil, fmt.Errorf("owners: %.80q: may not own %s: %w", text, of.Kind, ownergraph.ErrInvalid)
		}
		o, err := a.records.store().Get(ctx, key)
		if errors.Is(err, ownergraph.ErrNotFound) || err == nil && o.Deleting {
			err = fmt.Errorf("owners: %.80q: does not exist, or is being deleted: %w", text, ownergraph.ErrInvalid)
		}
		if err != nil {
			return nil, err
		}
		owners = append(owners, graph.Owner{Key: o.Key, Block: true, OnDelete: policy})
	}
	return owners, nil
}
