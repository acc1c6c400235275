package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/internal/printing"
)

// addCluster adds the flags of kubectl that name a cluster. The help of the command shows only
// those that choose one.
func (a *app) addCluster(root *cobra.Command) {
	flags := root.PersistentFlags()
	a.cluster.Add(flags)
	flags.Lookup("namespace").Usage = "the namespace, or the scope of a dump or a store"
	if a.name == Plugin {
		return
	}
	shown := map[string]bool{"namespace": true, "context": true, "kubeconfig": true, "server": true}
	flags.VisitAll(func(f *pflag.Flag) { f.Hidden = !shown[f.Name] })
}

// open returns the API server of the flags as a store, and its rest config. It sends no
// request.
func (a *app) open(config clientgo.Config) (*clientgo.Store, *rest.Config, error) {
	server, err := a.cluster.Config()
	if err != nil {
		return nil, nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	store, err := clientgo.New(server, config)
	return store, server, err
}

// namespace returns the namespace of the flags or of the kubeconfig.
func (a *app) namespace() (string, error) {
	n, err := a.cluster.Namespace()
	if err != nil {
		return "", fmt.Errorf("read kubeconfig: %w", err)
	}
	return n, nil
}

// deadline bounds a read by --request-timeout.
func (a *app) deadline(ctx context.Context) (context.Context, context.CancelFunc, error) {
	text := a.cluster.Timeout
	if text == "" || text == "0" {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel, nil
	}
	d, err := parseTimeout(text)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d, fmt.Errorf("no answer within --request-timeout %s", text))
	return ctx, cancel, nil
}

// parseTimeout reads a duration, or a number of seconds.
func parseTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil || d < 0 {
		return 0, printing.UsageError(fmt.Sprintf("--request-timeout %q: want a time such as 30s", text))
	}
	return d, nil
}
