package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	completeFor  = 5 * time.Second // a shell waits for the answer
	maxCompleted = 500
)

// complete returns the kinds and objects that the beginning of an argument may become: a kind with its
// slash, and behind the slash the objects. An error completes nothing.
//
//test:by TestComplete TestPluginComplete
func (a *app) complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completeFor)
	defer cancel()
	if strings.Contains(cmd.Use, " OBJECT") && !strings.Contains(cmd.Use, "...") && len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	from, err := a.completeFrom()
	var list []string
	switch {
	case err != nil:
	case from == ofCluster && !strings.Contains(typed, "/"):
		list, err = a.clusterKinds()
	case from == ofCluster:
		list, err = a.clusterObjects(ctx, typed)
	default:
		list, err = a.contentNames(ctx, typed)
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list = slices.DeleteFunc(list, func(s string) bool { return !hasPrefixFold(s, typed) })
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), maxCompleted)], cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeFrom returns the origin. A subcommand on a live store has no dump.
func (a *app) completeFrom() (origin, error) {
	if a.source.file == "-" { // the shell has no input for the command
		return a.liveOrigin()
	}
	return a.origin()
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// contentNames returns the kinds of a dump or a store, or its objects if a kind is typed.
func (a *app) contentNames(ctx context.Context, typed string) (list []string, err error) {
	c, err := a.load(ctx)
	if err != nil {
		return nil, err
	}
	for i := range c.Objects {
		if o := &c.Objects[i]; strings.Contains(typed, "/") {
			list = append(list, o.Key.Text())
		} else {
			list = append(list, o.Kind.Text()+"/")
		}
	}
	return list, nil
}

// clusterKinds returns the types of the server, as kubectl completes them.
func (a *app) clusterKinds() (list []string, err error) {
	client, err := a.cluster.Discovery()
	if err != nil {
		return nil, err
	}
	groups, err := client.ServerPreferredResources()
	for _, g := range groups { // a group that fails leaves the others
		gv, wrong := schema.ParseGroupVersion(g.GroupVersion)
		for _, r := range g.APIResources {
			if wrong == nil && slices.Contains(r.Verbs, "list") {
				list = append(list, schema.GroupResource{Group: gv.Group, Resource: r.Name}.String()+"/")
			}
		}
	}
	if len(list) > 0 {
		err = nil
	}
	return list, err
}

// clusterObjects returns the objects of the typed kind in the namespace.
func (a *app) clusterObjects(ctx context.Context, typed string) (list []string, err error) {
	typ, _, _ := strings.Cut(typed, "/")
	targets, err := a.resolve([]string{typ + "/any"})
	if err != nil {
		return nil, err
	}
	config, err := a.cluster.Config()
	if err != nil {
		return nil, err
	}
	w, err := newWholes(config)
	if err != nil {
		return nil, err
	}
	path := targets[0].path()
	err = w.listAs(ctx, path[:len(path)-1], fmt.Sprintf(metadataAlone, "List"), func(item json.RawMessage) error {
		var o struct{ Metadata objectMeta }
		if err := json.Unmarshal(item, &o); err != nil {
			return err
		}
		list = append(list, typ+"/"+o.Metadata.Name)
		return nil
	})
	return list, err
}
