package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
)

// name is the command as users type it.
const name = "kubectl ownergraph"

// app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	started        bool // the command line was right
	cluster        *genericclioptions.ConfigFlags
	everywhere     bool // -A
	format         string
	now            func() time.Time
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, cluster: genericclioptions.NewConfigFlags(true), now: time.Now}
}

const long = `Show why objects of a cluster stay or go: their owners, dependents and finalizers, the effect
of their deletion, and the next actor. Begin with an object or a namespace that does not
terminate:

  kubectl ownergraph explain namespace/shop

  tree, plan, explain, lint, top   list metadata once, and change nothing
  wait                             watches a deletion, and changes nothing
  approve, pause                   write for a collector of this library
  gc                               is such a collector: it observes, and deletes with --act

TYPE is a resource, a short name or a kind, as for kubectl. Each read takes the right to list
alone. A kind that you may not list is named, with the facts that stay unknown.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 findings or held objects.
Colour shows only on a terminal, and not if NO_COLOR is set.`

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:         "kubectl-ownergraph",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: name},
		Short:       "Trees, plans, explanations and deletions of objects that own each other",
		Long:        long,
		Example: `  kubectl ownergraph explain namespace/shop
  kubectl ownergraph tree deployment/cart -n shop
  kubectl ownergraph plan deployment/cart -n shop --cascade foreground`,
		Version:       printing.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRun: func(*cobra.Command, []string) {
			a.started = true
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	a.cluster.AddFlags(root.PersistentFlags())
	root.AddCommand(a.explainCommand(), a.treeCommand(), a.planCommand(), a.lintCommand(), a.topCommand())
	root.AddCommand(a.waitCommand(), a.approveCommand(), a.pauseCommand(), a.gcCommand())
	return root
}

// open returns the API server of the flags as a store, and its rest config. It sends no
// request.
func (a *app) open(config clientgo.Config) (*clientgo.Store, *rest.Config, error) {
	server, err := a.cluster.ToRESTConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	store, err := clientgo.New(server, config)
	return store, server, err
}

// namespace returns the namespace of the flags or of the kubeconfig.
func (a *app) namespace() (string, error) {
	n, _, err := a.cluster.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", fmt.Errorf("read kubeconfig: %w", err)
	}
	return n, nil
}

// deadline bounds a read by --request-timeout.
func (a *app) deadline(ctx context.Context) (context.Context, context.CancelFunc, error) {
	text := *a.cluster.Timeout
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
