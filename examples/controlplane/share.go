package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/group"
)

// isAuto reads the flag -share.
func isAuto(text string) (bool, error) {
	if text != "auto" && text != "all" {
		return false, fmt.Errorf("%q is no part: write auto or all", text)
	}
	return text == "auto", nil
}

// join makes the collector a member of the group of its store, so that the processes divide the
// objects.
func join(ctx context.Context, c *ownergraph.Collector, r records) (*group.Membership, error) {
	coordinator, err := r.group(ctx)
	if err != nil {
		return nil, err
	}
	return group.New(c, coordinator, group.Config{Logger: slog.Default()})
}

// stay keeps the lease of a member until the context or the collector ends, and then leaves.
func stay(ctx context.Context, member *group.Membership) error {
	if member == nil {
		return nil
	}
	return member.Run(ctx)
}

// group answers with the state of this process in one line.
func (a *api) group(w http.ResponseWriter, _ *http.Request) {
	if a.member == nil {
		fmt.Fprintln(w, "no group: this process works on all objects")
		return
	}
	fmt.Fprintln(w, a.member.Status())
}
