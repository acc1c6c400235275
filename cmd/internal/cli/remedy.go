package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/droppatch"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// maxCommands bounds the commands for one namespace.
const maxCommands = 10

// endingCommands returns the commands of kubectl that end a namespace if the parts that hold it are gone
// for good: one for the first object of each finalizer, and one for each API service without a backend.
//
//test:by TestGolden TestEndingCommands
func endingCommands(n *namespace.Answer, flags []string) string {
	var list []string
	for _, s := range n.Services.Down {
		list = append(list, kubectl(flags, "delete", "apiservice", s.Name))
	}
	for _, h := range n.Holders() {
		o := &h.Objects[0]
		at := slices.Index(o.Finalizers, h.Finalizer)
		if at < 0 || h.Finalizer == graph.FinalizerForeground || h.Finalizer == graph.FinalizerOrphan {
			continue // the garbage collector takes its own off
		}
		path := fmt.Sprintf("/metadata/finalizers/%d", at)
		patch, err := json.Marshal([]droppatch.Operation{{Op: "test", Path: path, Value: h.Finalizer}, {Op: "remove", Path: path}})
		if err != nil {
			continue // text is always JSON
		}
		list = append(list, kubectl(flags, "patch", strings.ToLower(o.Kind.Text()), o.Name, "-n", o.Scope, "--type=json", "-p", string(patch)))
	}
	if len(list) == 0 {
		return ""
	}
	more := ""
	if len(list) > maxCommands {
		more = fmt.Sprintf("  ... and %s\n", spell.Count(uint64(len(list)-maxCommands), "more command"))
		list = list[:maxCommands]
	}
	return "commands, if that controller or service is gone for good; its work stays undone:\n  " + strings.Join(list, "\n  ") + "\n" + more
}

// kubectl returns a command line for a POSIX shell.
func kubectl(flags []string, args ...string) string {
	words := []string{"kubectl"}
	for _, w := range append(slices.Clone(flags), args...) {
		words = append(words, droppatch.Quote(w))
	}
	return spell.Line(strings.Join(words, " "))
}
